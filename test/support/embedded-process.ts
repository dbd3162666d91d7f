import { startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'

// A separate process that starts the embedded server of a data folder, prints its URL as JSON, and
// stops it when stdin ends.
const [dataDir = ''] = process.argv.slice(2)
const { url, started, stop } = await startEmbedded(dataDir, { settings: { fsync: 'off' } })
process.stdout.write(`${JSON.stringify({ url, started })}\n`)
for await (const _ of process.stdin);
await stop()
