import { invalid } from '../errors.ts'
import { parseTags } from '../tags/tag.ts'
import type { LinkDraft } from './create-links.ts'
import type { LinkInput } from './link.ts'
import type { createLinkInputReader, LinkColumns } from './link-input.ts'
import { parseAlias } from './rules/alias.ts'
import { typedAlias } from './short-url.ts'

/** A link that was read and is not stored yet; its short URL will begin with `origin`. */
export type Draft = LinkDraft & { origin: string }
/** A link that may be stored, or why it may not. */
export type PreparedLink = PromiseSettledResult<Draft>

type Dependencies = { baseUrl: string; readInput: ReturnType<typeof createLinkInputReader> }

/** Passwords in one request: each costs tens of milliseconds of a processor. */
const MOST_PASSWORDS = 20

/**
 * Makes the function that reads what a client asks of new links and hashes their passwords: all that
 * is to be done before a transaction. It says of each link, in their order, what became of it.
 */
export function createLinkPreparer({ baseUrl, readInput }: Dependencies) {
  async function readDraft(accountId: number, input: LinkInput): Promise<Draft> {
    const alias = input.alias
      ? parseAlias('alias', typedAlias(input.alias, input.domain || baseUrl))
      : undefined
    const tags = parseTags('tags', input.tags ?? [])
    const { columns, domain } = await readInput(accountId, input)
    const values = {
      ...(columns as LinkColumns & { url: string }),
      account_id: accountId,
      domain_id: domain?.id ?? null,
    }
    return {
      values,
      alias,
      pixels: input.pixels ?? [],
      tags,
      origin: domain?.origin ?? baseUrl,
    }
  }

  return async function prepare(
    accountId: number,
    inputs: readonly LinkInput[],
  ): Promise<PreparedLink[]> {
    const prepared: PreparedLink[] = []
    let passwords = 0
    for (const input of inputs) {
      try {
        if (input.password) passwords += 1
        if (input.password && passwords > MOST_PASSWORDS) {
          throw invalid('password', `may be set for at most ${MOST_PASSWORDS} links in one request`)
        }
        prepared.push({ status: 'fulfilled', value: await readDraft(accountId, input) })
      } catch (reason) {
        prepared.push({ status: 'rejected', reason })
      }
    }
    return prepared
  }
}
