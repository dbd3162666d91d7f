import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChildren, readProportionalBytes, SERVER_CORE } from './processes.ts'
import { findFreePort, waitForResponse } from './server-process.ts'

export type Nginx = Awaited<ReturnType<typeof startNginx>>

/** Returns whether nginx is installed. */
export function hasNginx(): boolean {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * Starts nginx on one core with a typical configuration: a `map` from paths to destinations, and an
 * access log. It serves the links that `createLinks` creates with the same arguments.
 */
export async function startNginx({ prefix, count }: { prefix: string; count: number }) {
  const folder = await mkdtemp(join(tmpdir(), 'brevis-nginx-'))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const [config, map, log] = ['nginx.conf', 'links.map', 'access.log'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  await writeMap(map, prefix, count)
  await writeFile(config, renderConfig({ folder, port, map, log, count }))
  const args = ['-c', String(SERVER_CORE), 'nginx', '-c', config, '-p', folder]
  const child = spawn('taskset', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const pid = child.pid ?? 0
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  await waitForResponse({ pid, output: () => output, stop }, `${url}/${prefix}-1`)
  return {
    url,
    /** Returns the memory in bytes. Shared memory counts only once. */
    readMemory: () =>
      [pid, ...findChildren(pid)].map(readProportionalBytes).reduce((sum, bytes) => sum + bytes, 0),
    /** Changes the destination of the first link by writing a new map and reloading nginx. */
    async changeFirstLink(destination: string): Promise<void> {
      await writeMap(map, prefix, count, destination)
      child.kill('SIGHUP')
    },
    /** Returns the PIDs of the worker processes. */
    findWorkers: () => findChildren(pid, 'worker process'),
    countLogLines: () => countLines(log),
    async [Symbol.asyncDispose](): Promise<void> {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function writeMap(
  path: string,
  prefix: string,
  count: number,
  firstDestination = 'https://example.com/articles/1/a-page-somewhere',
): Promise<void> {
  const file = createWriteStream(path)
  file.write(`/${prefix}-1 ${firstDestination};\n`)
  for (let index = 2; index <= count; index += 1) {
    const line = `/${prefix}-${index} https://example.com/articles/${index}/a-page-somewhere;\n`
    if (!file.write(line)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}

type Settings = { folder: string; port: number; map: string; log: string; count: number }

function renderConfig({ folder, port, map, log, count }: Settings): string {
  const tempFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  ${tempFolders.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  access_log ${log} combined;
  keepalive_requests 1000000000;
  map_hash_max_size ${Math.max(20_000, 2 * count)};
  map_hash_bucket_size 128;
  map $uri $destination { include ${map}; }
  server {
    listen 127.0.0.1:${port};
    location / {
      if ($destination = "") { return 404; }
      return 302 $destination;
    }
  }
}
`
}

async function countLines(path: string): Promise<number> {
  let lines = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const byte of chunk) if (byte === 10) lines += 1
  }
  return lines
}
