# An image with the program alone, which is linked statically:
#
#   .ci/release binary x86_64-unknown-linux-musl
#   docker build -t doublecross .
#   docker run --rm doublecross solve 3x3
#   docker run --rm -p 127.0.0.1:8473:8473 doublecross serve --bind 0.0.0.0
#   docker run --rm -v "$PWD:/work" doublecross train 3x3
#
# It needs no other image and no network.
FROM scratch
ARG PROGRAM=target/x86_64-unknown-linux-musl/release/doublecross
COPY ${PROGRAM} /bin/doublecross
COPY LICENSE-MIT LICENSE-APACHE /licenses/
WORKDIR /work
ENTRYPOINT ["/bin/doublecross"]
