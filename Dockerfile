# ./spd in a container: docker build -t spd . && docker run --rm spd --help; docs/serving.md has more.
FROM maven:3-eclipse-temurin-17 AS build
COPY . /source
RUN /source/config/make-container /spd

FROM debian:bookworm-slim
COPY --from=build /spd /spd
RUN useradd --create-home --uid 10001 spd && mkdir /data && chown spd /data
USER spd
WORKDIR /data
# What config/environment.sh and ./spd set.
ENV LC_ALL=C.UTF-8 OMP_WAIT_POLICY=passive OPENBLAS_THREAD_TIMEOUT=4 \
    MALLOC_MMAP_MAX_=0 MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=1073741824
EXPOSE 8080
HEALTHCHECK --start-period=60s CMD ["/spd/java/bin/java", "-XX:TieredStopAtLevel=1", "-cp", "/spd/jars/*", "io.github.spd4j.serve.HealthCheck"]
ENTRYPOINT ["/spd/java/bin/java", "@/spd/options"]
CMD ["--help"]
