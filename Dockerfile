# Mortise with its embedded PostgreSQL, or with DATABASE_URL. docs/deployment.md says how to run it.
FROM node:24-bookworm-slim AS bundle
WORKDIR /opt/mortise
COPY . .
# The tools of development are only in this stage. Their install scripts are not needed.
RUN npm ci --include-workspace-root --workspace=@mortise/server --workspace=@mortise/connect --workspace=@mortise/console --ignore-scripts --no-audit --no-fund && npm run build

FROM node:24-bookworm-slim

WORKDIR /opt/mortise
COPY . .
# What the service and the command line need. Both run on the Node of the image. All files belong to root, read-only for the service.
RUN npm ci --workspace=@mortise/server --workspace=@mortise/cli --omit=dev --no-audit --no-fund \
 && npm cache clean --force \
 && install -d -o node -g node -m 0700 /data
COPY --from=bundle /opt/mortise/packages/server/dist packages/server/dist
COPY --from=bundle /opt/mortise/packages/providers/dist packages/providers/dist
COPY --from=bundle /opt/mortise/packages/connect/dist packages/connect/dist
COPY --from=bundle /opt/mortise/packages/console/dist packages/console/dist

ENV NODE_ENV=production \
    PATH=/opt/mortise/node_modules/.bin:$PATH \
    MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=262144 \
    NODE_COMPILE_CACHE=/data/cache/node \
    MORTISE_HOST=0.0.0.0 \
    MORTISE_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 4100
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4100}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Not through npm, which does not pass a signal on to what it started.
CMD ["node", "--max-semi-space-size=16", "--initial-old-space-size=128", "--v8-pool-size=1", "--disable-warning=ExperimentalWarning", "--conditions=mortise-source", "packages/server/start.mjs"]
