import { defineCommand } from './command.ts'

/**
 * Only used for help and error messages: `src/cli.ts` starts the service without parsing commands.
 */
export const startService = defineCommand({
  summary: 'start the service, with settings from .env and data in ./data',
  run: () => Promise.reject(new Error('start takes no options: settings are in .env')),
})
