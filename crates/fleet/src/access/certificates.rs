//! The certificates of a fleet's server.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};

/// An authority, and the one certificate that it has signed, in PEM.
pub(crate) struct Certificates {
    /// The authority's certificate. Its private key is gone: nothing can be signed with it any more.
    pub authority: String,
    /// The server's certificate.
    pub server: String,
    /// The private key of the server's certificate.
    pub server_key: String,
}

impl Certificates {
    /// Makes certificates of a server that is reached under these names and addresses.
    ///
    /// # Errors
    /// Returns an error if one of them cannot stand in a certificate.
    pub fn new(hosts: &[String]) -> Result<Certificates, rcgen::Error> {
        let mut authority = params(Vec::new(), "doublecross fleet")?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let authority_key = KeyPair::generate()?;
        let authority_certificate = authority.self_signed(&authority_key)?;

        let mut server = params(hosts.to_vec(), "doublecross fleet server")?;
        server.use_authority_key_identifier_extension = true;
        server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let server_key = KeyPair::generate()?;
        let certificate = server.signed_by(&server_key, &Issuer::new(authority, authority_key))?;
        Ok(Certificates {
            authority: authority_certificate.pem(),
            server: certificate.pem(),
            server_key: server_key.serialize_pem(),
        })
    }
}

/// The parameters that both certificates have in common. They are valid for as long as a fleet may
/// live, also on machines whose clocks are wrong: who may connect is decided by NKeys, which can be
/// revoked.
fn params(hosts: Vec<String>, name: &str) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(hosts)?;
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(2100, 1, 1);
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    Ok(params)
}
