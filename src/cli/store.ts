import { connect, openClient } from '../db/client.ts'
import { compareStore } from '../links/store/compare.ts'
import { storeFolder } from '../links/store/store-file.ts'
import { defineCommand } from './command.ts'
import { reportDifferences } from './differences.ts'

export const storeCheck = defineCommand({
  summary: 'compare the link store of this machine with the database row by row',
  async run(context) {
    const differences = compareOnConnection(
      await context.databaseUrl(),
      storeFolder(context.config.dataDir),
    )
    return reportDifferences(differences, {
      json: context.json,
      describe: ({ kind, id, problem }) => `${kind} ${id}: ${problem}`,
      agreementText: 'The link store agrees with the database.',
      toErrorMessage: (count) => `${count} entries of the link store differ from the database`,
    })
  },
})

async function* compareOnConnection(url: string, folder: string) {
  const client = openClient({ url, name: 'command' })
  await connect(client, url)
  try {
    yield* compareStore(client, folder)
  } finally {
    await client.end()
  }
}
