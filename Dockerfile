# One image: the gateway and its command line on the image's own Node.js, without a package manager's
# leftovers. The data directory is a volume; with DATABASE_URL it stays empty.

FROM node:24-slim AS dependencies
WORKDIR /opt/kopeck
COPY package.json package-lock.json ./
COPY sdk/package.json sdk/
# The optional packages are Node.js itself, for machines that have none or an older one.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim
ENV HOST=0.0.0.0 \
    PORT=8080 \
    KOPECK_DATA_DIR=/var/lib/kopeck
WORKDIR /opt/kopeck
COPY --from=dependencies /opt/kopeck/node_modules node_modules
COPY package.json openapi.json ./
COPY bin bin
COPY migrations migrations
COPY sdk sdk
COPY src src
RUN ln -s /opt/kopeck/bin/kopeck.mjs /usr/local/bin/kopeck \
    && chmod +x bin/kopeck.mjs \
    && install -d -o node -g node -m 700 /var/lib/kopeck
USER node
VOLUME /var/lib/kopeck
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The exec form: the gateway is the first process and hears SIGTERM itself.
ENTRYPOINT ["kopeck"]
CMD ["serve"]
