import { formatTimestamp } from '../http/timestamp.ts'
import type { LinkStatus } from '../links/link.ts'
import { COMMAND_LINE } from '../operator/operator-log.ts'
import { type Context, command } from './command.ts'

export const linkDisable = command({
  summary:
    'stop visitors of a short URL, whoever’s link it is, within a second; its owner cannot undo it',
  required: { url: 'the short URL' },
  optional: { reason: 'what its owner is told, up to 200 characters' },
  operands: ['url'],
  run: (context, { url, reason }) => setStatus(context, url, 'disabled', reason),
})

export const linkEnable = command({
  summary: 'let visitors of a short URL through again',
  required: { url: 'the short URL' },
  operands: ['url'],
  run: (context, { url }) => setStatus(context, url, 'active'),
})

export const linkGuesses = command({
  summary: 'how many wrong passwords a short URL was given lately, and until when guesses wait',
  required: { url: 'the short URL' },
  operands: ['url'],
  run: async (context, { url }) => {
    const { moderation } = await context.features()
    const { id, email, shortUrl, guesses } = await moderation.guesses(url)
    const { wrong, waitsUntil, knownVisitors } = guesses
    const until = waitsUntil && formatTimestamp(waitsUntil)
    return {
      id,
      account: email,
      shorturl: shortUrl,
      wrong,
      waitsuntil: until,
      known: knownVisitors,
    }
  },
})

async function setStatus(context: Context, given: string, wanted: LinkStatus, reason?: string) {
  const { operatorActs } = await context.features()
  const link = await operatorActs.setLinkStatus(COMMAND_LINE, given, wanted, reason)
  const { id, email, shortUrl, url, status, changed } = link
  return { id, account: email, shorturl: shortUrl, longurl: url, status, changed }
}
