import { resolve } from 'node:path'
import { publish } from '../publish/publish.ts'
import { defineCommand } from './command.ts'
import { createProgressBar } from './progress-bar.ts'

export const publishLinks = defineCommand({
  summary: 'write all plain redirects for nginx, Caddy, Netlify and Cloudflare',
  required: {
    folder: 'the folder to write; an existing one is replaced when the new one is complete',
  },
  operands: ['folder'],
  async run(context, { folder }) {
    const path = resolve(folder)
    const { db, clock } = await context.connect()
    const { baseUrl, ownHosts } = context.config
    const { terminal } = context
    const bar = createProgressBar({ terminal, label: 'publishing', now: () => performance.now() })
    try {
      return {
        folder: path,
        ...(await publish(path, { db, clock, baseUrl, ownHosts, onProgress: bar.draw })),
      }
    } finally {
      bar.clear()
    }
  },
})
