# Sluice without Redis: workers, the engine and the command line in one image. docker-compose.yml puts them together.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The image's own Node runs Sluice; the one that comes as a package is for machines with an older one.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim
ENV NODE_ENV=production \
    UV_THREADPOOL_SIZE=6 \
    MALLOC_ARENA_MAX=1 \
    SLUICE_STATE_DIR=/state \
    SLUICE_CACHE_DIR=/state/cache
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json ./
COPY config config
COPY src src
COPY workers workers
# Documents are read from /documents and come out in /store; a named volume takes over the owner set here.
RUN mkdir /documents /store /state && chown node:node /store /state
USER node
VOLUME ["/store", "/state"]
ENTRYPOINT ["node", "--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", "--heap-growing-percent=100", "/app/src/cli/main.ts"]
CMD ["--help"]
