import { distribute } from '../clicks/import.ts'
import { command } from './command.ts'

export const clusterDistribute = command({
  summary: 'distribute the click tables over a Citus cluster',
  async run({ databaseUrl }) {
    return { distributed: await distribute(await databaseUrl()) }
  },
})
