import { expect } from 'vitest'
import { linkListTest } from '../support/link-list.ts'
import { signInMember } from '../support/members.ts'

const test = linkListTest()

/** Returns the keys that the help of a page lists. */
function readKeys(body: string): string[] {
  return Array.from(body.matchAll(/<kbd class="key-name">(.*?)<\/kbd>/g), ([, key]) => key ?? '')
}

test('the help lists only the keys of pages that the role may open', async ({
  app,
  make,
  owner,
  person,
}) => {
  const link = await make.link(owner)
  const campaign = await make.campaign(owner)
  const code = await make.qr(owner)
  const viewer = await signInMember(app, owner, 'viewer')
  for (const [path, keys] of [
    ['/console', ['C']],
    ['/console/links', ['C', 'E', 'X']],
    [`/console/links/${link.id}`, ['C', 'E']],
    [`/console/campaigns/${campaign.id}`, ['C', 'E']],
    [`/console/codes/${code.id}`, ['C', 'E']],
  ] satisfies [string, string[]][]) {
    const own = readKeys((await person.open(path)).body)
    expect(own).toEqual(expect.arrayContaining(['?', ...keys]))
    const theirs = readKeys((await viewer.open(path)).body)
    expect(theirs).toEqual(own.filter((key) => !keys.some((each) => each === key)))
  }
})
