# doublecross in an image of its own, from a static program:
#
#   .ci/release static x86_64-unknown-linux-musl
#   docker build -t doublecross .
#   docker run --rm doublecross solve 3x3
#   docker run --rm -p 8473:8473 doublecross serve --bind 0.0.0.0
#
# Runs are written to /work: `docker run -v "$PWD:/work" doublecross train 3x3`.
FROM scratch
COPY dist/doublecross /doublecross
COPY LICENSE-MIT LICENSE-APACHE /
WORKDIR /work
ENTRYPOINT ["/doublecross"]
