import { distribute } from '../clicks/import.ts'
import { command } from './command.ts'

export const clusterDistribute = command({
  summary: 'spread the tables of clicks over the machines of a Citus cluster',
  async run({ databaseUrl }) {
    return { distributed: await distribute(await databaseUrl()) }
  },
})
