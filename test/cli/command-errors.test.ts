import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished } from 'vitest'
import { commandLine, runCommand, runProcess } from '../support/command.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('cli', { scope: 'file' }, ({ app }) => {
  const { settings } = commandLine(app)
  return { settings }
})

describe('a command prints an error on one line for', () => {
  const create = ['account', 'create', '--email', 'a@example.com', '--username', 'abc']

  test.for([
    [[], 'a command is missing; brevis --help shows them'],
    [['account'], 'a command is missing; brevis account --help shows them'],
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['account', 'frobnicate'], "unknown command 'frobnicate'"],
    [['account', 'list', '--frob'], "unknown option '--frob'"],
    [['account', 'list', 'more'], 'too many arguments'],
    [['key', 'list'], "required option '--account <account>' not specified"],
    [['key', 'list', '--account'], "option '--account <account>' argument missing"],
    [['account', 'suspend', '--email', 'no@example.com'], 'There is no account with the email'],
    [[...create, '--password', 'short'], 'password must be 8 to 200 characters long'],
    [[...create, '--password', '-'], 'password was expected on the standard input'],
    [[...create, '--password', 'long enough', '--plan', 'gold'], 'plan must be one of free, pro'],
    [['key', 'revoke', '--account', 'x', '--id', '1e3'], 'id must be a positive whole number'],
    [
      ['key', 'rotate', '--account', 'x', '--id', '1', '--overlap', '1y'],
      'overlap must be seconds',
    ],
  ] as const)('the arguments %j: %s', async ([args, message], { cli: { settings } }) => {
    const { code, stdout, stderr } = await runCommand(args, { env: settings() })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^brevis: [^\n]+\n$/)
    expect(stderr).toContain(message)
  })

  test('a taken email address', async ({ make, cli: { settings } }) => {
    const { account } = await make.owner()
    const args = ['account', 'create', '--email', account.email.toUpperCase()]
    const outcome = await runCommand(
      [...args, '--username', 'newUser', '--password', 'long enough'],
      { env: settings() },
    )
    const stderr = 'brevis: That email address is already in use.\n'
    expect(outcome).toEqual({ code: 1, stdout: '', stderr })
  })

  test('an unreachable database, without the password', async () => {
    const env = { DATABASE_URL: 'postgres://brevis:secret@127.0.0.1:1/brevis' }
    const { code, stderr } = await runCommand(['account', 'list'], { env })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^brevis: cannot connect to the database at postgres:\/\/brevis@127\.0\.0\.1:1\/brevis \(DATABASE_URL\): connect ECONNREFUSED 127\.0\.0\.1:1\n$/,
    )
    expect(stderr).not.toContain('secret')
  })

  test.for([['migrate'], ['store', 'check'], ['backup', join(tmpdir(), 'never-written.tar.zst')]])(
    'a database that does not respond: %s',
    { timeout: 60_000 },
    async (args) => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      const env = { DATABASE_URL: `postgres://brevis@127.0.0.1:${port}/brevis` }
      const { code, stderr } = await runCommand(args, { env })
      expect(code).toBe(1)
      expect(stderr).toMatch(/^brevis: cannot connect to the database [^\n]* timeout expired\n$/)
    },
  )

  test.for([
    ['a wrong password', { password: 'secret' }, 'password authentication failed for user'],
    ['a missing database', { pathname: '/missing' }, 'database "missing" does not exist'],
    ['an unknown host', { hostname: 'db.invalid' }, 'db.invalid'],
    [
      'a server without TLS',
      { search: '?sslmode=require' },
      'The server does not support SSL connections. The settings of sslmode are in docs/settings.md.',
    ],
    ['a missing certificate', { search: '?sslrootcert=/missing.pem' }, "open '/missing.pem'"],
  ] as const)('%s, naming DATABASE_URL without its password', async ([, change, reason]) => {
    const url = Object.assign(new URL(inject('serverUrl')), change)
    const { code, stderr } = await runProcess(['account', 'list'], {
      env: { DATABASE_URL: url.href },
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^brevis: cannot connect to the database at [^\n]+\n$/)
    const password = url.password
    url.password = ''
    expect(stderr).toContain(`${url.href.split('?')[0]}`)
    expect(stderr).toContain(' (DATABASE_URL): ')
    expect(stderr).toContain(reason)
    expect(stderr).not.toContain(password)
  })
})
