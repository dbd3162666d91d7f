import type { Account } from '../../src/accounts/account.ts'
import type { LinkInput } from '../../src/links/link.ts'
import type { Services } from '../../src/services.ts'

export type Make = ReturnType<typeof createMake>
export type Owner = { account: Account; key: string; headers: Record<string, string> }

/** Makes what a test needs through the real services; say only what matters to the test. */
export function createMake({ accounts, links }: Services) {
  let count = 0
  return {
    /** An account with its key, and the headers of a request that it makes. */
    async owner(input: { email?: string; username?: string } = {}): Promise<Owner> {
      count += 1
      const { account, key } = await accounts.create({
        email: `owner${count}@example.com`,
        username: `owner${count}`,
        password: 'correct horse battery',
        ...input,
      })
      return { account, key, headers: { authorization: `Bearer ${key}` } }
    },

    link: (owner: Owner, input: Partial<LinkInput> = {}) =>
      links.create(owner.account.id, { url: 'https://example.com/target', ...input }),
  }
}
