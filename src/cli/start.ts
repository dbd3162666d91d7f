import { command } from './command.ts'

/** For the help and for what is wrong: `src/cli.ts` starts the service before it reads any command. */
export const startService = command({
  summary: 'start the service, with the settings in .env and the data in ./data',
  run: () => Promise.reject(new Error('start takes no options: settings are in .env')),
})
