# Sluice in one image: workers, the engine, the command line, and a redis-server for runs that are given no REDIS_URL.
# docker-compose.yml puts them together. Nothing is fetched when a container runs.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image's own Node runs Sluice; the one that comes as a package is for machines with an older one.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/.bin/node \
    node_modules/rolldown node_modules/@rolldown node_modules/@oxc-project

FROM node:24-bookworm-slim
ARG VERSION=dev
LABEL org.opencontainers.image.title="sluice" \
    org.opencontainers.image.description="Turns archives of documents into Markdown, pages and layout blocks" \
    org.opencontainers.image.licenses="MIT" \
    org.opencontainers.image.version="${VERSION}"
RUN apt-get update \
    && apt-get install -y --no-install-recommends redis-server \
    && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production \
    UV_THREADPOOL_SIZE=6 \
    MALLOC_ARENA_MAX=1 \
    SLUICE_STATE_DIR=/state \
    SLUICE_SPOOL=/state/spool \
    SLUICE_CACHE_DIR=/state/cache
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY scripts/healthcheck.mjs scripts/
COPY config config
COPY src src
COPY workers workers
# Documents are read from /documents and come out in /store; a named volume takes over the owner set here.
RUN mkdir /documents /store /state && chown 1000:1000 /store /state
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=15s --retries=3 --start-period=30s CMD ["node", "/app/scripts/healthcheck.mjs"]
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", "--heap-growing-percent=100", "/app/src/cli/main.ts"]
CMD ["--help"]
