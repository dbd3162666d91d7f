import { resolve } from 'node:path'
import { command } from './command.ts'
import { createProgressBar } from './progress-bar.ts'

export const publishLinks = command({
  summary:
    'write all plain redirects for nginx, Caddy, Netlify and Cloudflare, to go on without Brevis',
  required: { folder: 'where to; an earlier result there is replaced by the complete new one' },
  operands: ['folder'],
  async run(context, { folder }) {
    const path = resolve(folder)
    const features = await context.features()
    const { terminal } = context
    const bar = createProgressBar({ terminal, label: 'publishing', now: () => performance.now() })
    try {
      return { folder: path, ...(await features.publish(path, bar.draw)) }
    } finally {
      bar.clear()
    }
  },
})
