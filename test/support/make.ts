import type { HttpContext } from '../../src/context.ts'
import { addDomain, type DomainInput } from '../../src/domains/domain.service.ts'
import { verifyDomain } from '../../src/domains/domain-proof.ts'
import { createAccount } from '../../src/identity/account.service.ts'
import type { Account } from '../../src/identity/account.ts'
import { createLink } from '../../src/links/link.service.ts'
import type { LinkInput } from '../../src/links/link.ts'
import { addQrCode } from '../../src/qr/qr.service.ts'
import type { QrInput } from '../../src/qr/qr.ts'
import { readQrInput } from '../../src/qr/qr-input.ts'
import type { BioValues } from '../../src/resources/bio-changes.ts'
import { bios } from '../../src/resources/bios.ts'
import { campaigns } from '../../src/resources/campaigns.ts'
import { channels } from '../../src/resources/channels.ts'
import type { ValuesOf } from '../../src/resources/definition.ts'
import { overlays } from '../../src/resources/overlays.ts'
import { pixels } from '../../src/resources/pixels.ts'
import { splashes } from '../../src/resources/splashes.ts'
import { scopeOf } from '../../src/scope.ts'

export type Make = ReturnType<typeof createMake>
export type Owner = { account: Account; key: string; headers: Record<string, string> }

/**
 * Returns functions that create test data through the real services, with defaults for everything
 * that a test does not set.
 */
export function createMake(services: HttpContext) {
  let count = 0
  return {
    /** Creates an account with an API key. `headers` authorize requests with the key. */
    async owner(input: { email?: string; username?: string } = {}): Promise<Owner> {
      count += 1
      const { account, key } = await createAccount(services, services.db, {
        email: `owner${count}@example.com`,
        username: `owner${count}`,
        password: 'correct horse battery',
        ...input,
      })
      return { account, key, headers: { authorization: `Bearer ${key}` } }
    },

    link: (owner: Owner, input: Partial<LinkInput> = {}) =>
      createLink(scopeOf(services, owner.account.id), {
        url: 'https://example.com/target',
        ...input,
      }),

    /** Creates a branded domain, by default with a unique name. */
    async domain(owner: Owner, { domain, ...redirects }: DomainInput & { domain?: string } = {}) {
      count += 1
      const proven = await verifyDomain(
        services,
        owner.account.id,
        domain ?? `https://brand${count}.test`,
      )
      return addDomain(scopeOf(services, owner.account.id), proven, redirects)
    },

    campaign: (owner: Owner, input: ValuesOf<typeof campaigns> = {}) =>
      campaigns.create(scopeOf(services, owner.account.id), input),

    pixel: (owner: Owner, input: ValuesOf<typeof pixels> = {}) =>
      pixels.create(scopeOf(services, owner.account.id), {
        type: 'vendor01pixel',
        name: 'Shop',
        tag: 'AB-1234',
        ...input,
      }),

    overlay: (owner: Owner, input: ValuesOf<typeof overlays> = {}) =>
      overlays.create(scopeOf(services, owner.account.id), {
        type: 'message',
        name: 'Sale',
        text: 'Our sale\nStarts today.',
        ...input,
      }),

    splash: (owner: Owner, input: ValuesOf<typeof splashes> = {}) =>
      splashes.create(scopeOf(services, owner.account.id), {
        name: 'Welcome',
        title: 'Hello',
        message: 'You are about to leave.',
        ...input,
      }),

    /** Creates a QR code, by default a dynamic one. */
    async qr(owner: Owner, input: Partial<QrInput> = {}) {
      const defaults = { type: 'link', data: 'https://example.com/target' } as const
      const prepared = await readQrInput(scopeOf(services, owner.account.id), {
        ...defaults,
        ...input,
      })
      return addQrCode(scopeOf(services, owner.account.id), prepared)
    },

    channel: (owner: Owner, input: ValuesOf<typeof channels> = {}) =>
      channels.create(scopeOf(services, owner.account.id), { name: 'Spring', ...input }),

    /** Creates a bio page, by default with a unique alias. */
    bio(owner: Owner, input: BioValues = {}) {
      count += 1
      return bios.create(scopeOf(services, owner.account.id), {
        alias: `bio${count}`,
        title: 'Anna',
        ...input,
      })
    },
  }
}
