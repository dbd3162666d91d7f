import { expect } from 'vitest'
import { getLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { appTest } from '../support/test.ts'

const DESTINATION = 'https://example.com/target'
/** An alias that is rejected for new links, but may have been stored earlier. */
const ALIAS = 'a\u3164\u0338'

const test = appTest()

test('a link whose alias is no longer allowed keeps working and can be changed', async ({
  app,
  make,
  owner,
  request,
}) => {
  const { id } = await make.link(owner, { url: DESTINATION })
  await app.services.database.pool.query('update links set alias = $2 where id = $1', [id, ALIAS])
  const visit = await request({ url: `/${encodeURIComponent(ALIAS)}` })
  expect([visit.statusCode, visit.headers.location]).toEqual([302, DESTINATION])
  const reply = await request({
    url: `/api/urls?short=${encodeURIComponent(`http://brev.test/${ALIAS}`)}`,
    headers: owner.headers,
  })
  expect(reply.json().data.urls).toMatchObject([{ id, alias: ALIAS }])
  const update = await request({
    method: 'PUT',
    url: `/api/url/${id}/update`,
    headers: owner.headers,
    payload: { url: `${DESTINATION}/new`, custom: ALIAS },
  })
  expect(update.statusCode).toBe(200)
  const { alias, url } = await getLink(scopeOf(app.services, owner.account.id), id)
  expect({ alias, url }).toEqual({ alias: ALIAS, url: `${DESTINATION}/new` })
})
