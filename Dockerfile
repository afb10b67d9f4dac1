# Sluice in one image: workers, the engine, the command line, and a redis-server for runs that are given no REDIS_URL.
# docker-compose.yml puts them together. Nothing is fetched when a container runs.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
RUN npm ci --omit=dev --no-audit --no-fund
COPY config config
COPY src src
COPY workers workers
COPY scripts/bundle.ts scripts/bundle-program.ts scripts/ocr-language-packages.ts scripts/
# OCR data of all languages, so that a container needs no registry; its sum is checked when it is unpacked.
RUN npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund $(node --disable-warning=ExperimentalWarning scripts/ocr-language-packages.ts) \
    && rm -rf node_modules/@tesseract.js-data/*/4.0.0 \
    && find node_modules/onnxruntime-node/bin -type f ! -path "*/$(node -p 'process.platform + "/" + process.arch')/*" -delete
# The image's own Node runs Sluice; the one that comes as a package is for machines with an older one.
RUN node --disable-warning=ExperimentalWarning scripts/bundle.ts && rm -rf node_modules/node-linux-* node_modules/.bin/node \
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
    SLUICE_CACHE_DIR=/state/cache \
    NODE_COMPILE_CACHE=/app/compiled
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY scripts/healthcheck.mjs scripts/
# Documents are read from /documents and come out in /store; a named volume takes over the owner set here.
RUN mkdir /documents /store /state compiled && chown 1000:1000 /store /state compiled
USER 1000:1000
# A pass over nothing: what Node compiles for it is kept in the image.
RUN node --disable-warning=ExperimentalWarning --min-semi-space-size=8 --max-semi-space-size=8 --heap-growing-percent=100 \
    /app/node_modules/.sluice/main.js run /documents --out /tmp/store && rm -rf /tmp/store /state/*
HEALTHCHECK --interval=10s --timeout=15s --retries=3 --start-period=30s CMD ["node", "/app/scripts/healthcheck.mjs"]
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "--min-semi-space-size=8", "--max-semi-space-size=8", "--heap-growing-percent=100", "/app/node_modules/.sluice/main.js"]
CMD ["--help"]
