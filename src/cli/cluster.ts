import { distribute } from '../clicks/import.ts'
import { defineCommand } from './command.ts'

export const clusterDistribute = defineCommand({
  summary: 'distribute the click tables over a Citus cluster',
  async run({ databaseUrl }) {
    return { distributed: await distribute(await databaseUrl()) }
  },
})
