# Two images of this repository. `portal init` writes the Dockerfile of a project of your own.
#
# runtime: portalkit and all that it needs, for a project that is mounted or copied to /srv/portal (docs/production.md)
#
#   docker build --target runtime --tag portalkit-runtime .
#
# demo: for everybody, thrown away and begun anew each hour. Whoever finds it is its admin: give it no network of yours, and no volume.
#
#   docker build --target demo --tag portalkit-demo .
#   docker run --rm --publish 3000:3000 --publish 3001:3001 portalkit-demo
#   docker run … portalkit-demo --public https://demo.example.com --sample-address https://api.example.com --reset-every 30
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /portalkit
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

# What npm would install of the package, in the versions of the lockfile.
FROM build AS package
RUN mkdir -p /srv/node_modules/portalkit \
 && npm run --silent sbom > /srv/sbom.cdx.json \
 && tar -xzf "$(npm pack --ignore-scripts --silent --pack-destination /tmp | sed 's|^|/tmp/|')" --strip-components=1 -C /srv/node_modules/portalkit \
 && cp -a node_modules/. /srv/node_modules/

FROM ${NODE_IMAGE} AS runtime
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="portalkit" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production \
    APP_ENV=production \
    SERVER_HOST=0.0.0.0 \
    SERVER_PORT=3000 \
    MAIL_DIRECTORY=/data/mail
# Beside the folder of the project: Node looks here for what the project imports and does not bring.
COPY --from=package /srv /srv
# /data is for a SQLite file; all else can be read-only.
RUN ln -s /srv/node_modules/portalkit/bin/portal.js /usr/local/bin/portal \
 && mkdir -p /srv/portal /data && chown 1000:1000 /data && chmod 700 /data
WORKDIR /srv/portal
# `node` by its number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# Liveness, as in the Dockerfile of a project. Change the path with `portalApi.prefix`.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --start-interval=1s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.SERVER_PORT + '/api/v1/health/live').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# A project with a node_modules of its own is served by the portalkit that stands in there.
CMD ["portal", "serve"]

FROM ${NODE_IMAGE} AS demo
WORKDIR /portalkit
COPY --from=build /portalkit ./
# The project of the demo is all that is written.
RUN mkdir -p .scratch && chown 1000:1000 .scratch
USER 1000:1000
EXPOSE 3000 3001
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "scripts/demo/start.cjs", "--fresh"]
CMD ["--public", "http://localhost:3000", "--reset-every", "60"]
