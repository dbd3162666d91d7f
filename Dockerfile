FROM node:26-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
COPY package.json package-lock.json .npmrc LICENSE NOTICE ./
# The image has a Node.js of its own.
RUN npm ci --omit=dev && rm -r node_modules/node-linux-* node_modules/.bin/node \
  && mkdir /data && chown node:node /data
COPY bin ./bin
COPY src ./src
COPY locales ./locales
COPY migrations ./migrations
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/redirects`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.ts"]
