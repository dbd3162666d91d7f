import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type RequestOptions, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { isInstalled, startWebServer } from '../support/published.ts'
import { appTest } from '../support/test.ts'

const GUIDE = new URL('../../docs/own-domain.md', import.meta.url)
const isReady = { nginx: isInstalled('nginx'), apache: isInstalled('apache2') }
const APACHE_MODULES = [
  'mpm_event',
  'authz_core',
  'proxy',
  'proxy_http',
  'headers',
  'socache_shmcb',
  'ssl',
]

type WebServer = keyof typeof isReady

/** Starts a web server with its configuration in the guide, in front of a service on `port`. */
async function start(name: WebServer, port: number) {
  const folder = await mkdtemp(join(tmpdir(), `brevis-${name}-`))
  const httpsPort = await freePort()
  createCertificate(folder)
  const guide = await readFile(GUIDE, 'utf8')
  const [, example = ''] = new RegExp(`\`\`\`${name}\n(.*?)\`\`\``, 's').exec(guide) ?? []
  const site = example
    .replaceAll('/etc/ssl/brevis', folder)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replace('listen 443', `listen 127.0.0.1:${httpsPort}`)
    .replace('*:443', `127.0.0.1:${httpsPort}`)
  const file = join(folder, 'server.conf')
  await writeFile(
    file,
    name === 'nginx' ? toNginx(folder, site) : toApache(folder, site, httpsPort),
  )
  const server = await (name === 'nginx'
    ? startWebServer('nginx', ['-c', file, '-p', folder], { port: httpsPort })
    : startWebServer('apache2', ['-f', file, '-D', 'FOREGROUND'], { port: httpsPort }))
  return {
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
    async send(host: string, path: string, options: RequestOptions = {}) {
      const outgoing = request({
        ...options,
        host: '127.0.0.1',
        port: httpsPort,
        path,
        servername: host,
        headers: { host, ...options.headers },
        rejectUnauthorized: false,
        agent: false,
      })
      return new Promise<{ status: number; location: string | undefined; body: string }>(
        (resolve, reject) => {
          outgoing.on('error', reject).on('response', async (reply) => {
            const { statusCode = 0, headers } = reply
            resolve({ status: statusCode, location: headers.location, body: await text(reply) })
          })
          outgoing.end()
        },
      )
    },
  }
}

function createCertificate(folder: string): void {
  const [key, certificate] = [join(folder, 'privkey.pem'), join(folder, 'fullchain.pem')]
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=brev.example`
  execFileSync('openssl', [...options.split(' '), '-keyout', key, '-out', certificate], {
    stdio: 'pipe',
  })
}

function toNginx(folder: string, site: string): string {
  return `daemon off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  ${site}
}
`
}

function toApache(folder: string, site: string, port: number): string {
  const modules = APACHE_MODULES.map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  )
  return `${modules.join('\n')}
ServerRoot ${folder}
ServerName brev.example
DefaultRuntimeDir ${folder}
PidFile ${folder}/apache.pid
User www-data
Group www-data
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
${site}
`
}

const settings = { BASE_URL: 'https://brev.example', TRUST_PROXY: '127.0.0.1' }

const test = appTest({ env: settings })
  .extend('nginx', { scope: 'file' }, async ({ app }, { onCleanup }) => {
    await app.listen()
    const server = await start('nginx', app.port())
    onCleanup(server.stop)
    return server
  })
  .extend('apache', { scope: 'file' }, async ({ app }, { onCleanup }) => {
    await app.listen()
    const server = await start('apache', app.port())
    onCleanup(server.stop)
    return server
  })

const tests = {
  nginx: test.extend('server', ({ nginx }) => nginx),
  apache: test.extend('server', ({ apache }) => apache),
}

describe.for(Object.keys(isReady) as WebServer[])('behind %s as in the guide', (name) => {
  const serverTest = tests[name].skipIf(!isReady[name])

  serverTest(
    'links are found by host, and by their exact path',
    async ({ make, owner, server }) => {
      const domain = `https://${name}.go.example`
      await make.domain(owner, { domain })
      const url = `https://example.com/${name}`
      await make.link(owner, { alias: `café-${name}`, url, domain })
      for (const path of [`/caf%C3%A9-${name}`, `/caf%c3%a9-${name}?a=b`]) {
        const reply = await server.send(`${name}.go.example`, path)
        expect([reply.status, reply.location], path).toEqual([302, url])
      }
      expect((await server.send('brev.example', `/caf%C3%A9-${name}`)).status).toBe(404)
      const forged = { headers: { 'x-forwarded-host': `${name}.go.example` } }
      expect((await server.send('brev.example', `/caf%C3%A9-${name}`, forged)).status).toBe(404)
    },
  )

  serverTest('escaped slashes reach the legacy API', async ({ owner, server }) => {
    const base64 = Buffer.from('https://example.com/?>?>').toString('base64')
    expect(base64).toContain('/')
    const path = `/api/v1/${owner.key}/shorturl/create/url/${encodeURIComponent(base64)}.json`
    const reply = await server.send('brev.example', path)
    expect(JSON.parse(reply.body).data.original_url).toBe('https://example.com/?%3E?%3E')
  })

  serverTest('visitors keep their own address', async ({ app, make, owner, server }) => {
    const { id, alias } = await make.link(owner)
    for (const localAddress of ['127.0.0.2', '127.0.0.3', '127.0.0.3']) {
      await server.send('brev.example', `/${alias}`, {
        localAddress,
        headers: { 'x-forwarded-for': `198.51.100.${localAddress.length}` },
      })
    }
    await app.importClicks()
    const { body } = await server.send('brev.example', `/api/url/${id}`, { headers: owner.headers })
    expect(JSON.parse(body).data).toMatchObject({ clicks: 3, uniqueClicks: 2 })
  })
})
