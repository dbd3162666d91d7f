import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  anyEncoding,
  anyUrl,
  encodedExampleUrl,
  removePadding,
} from '../../../test/fixtures/legacy-paths.ts'
import { parsePath } from './grammar.ts'

describe('parsePath', () => {
  test.each([
    ['', 'an empty path'],
    ['.json', 'no operation'],
    ['delete/short_url/YQ.json', 'another operation'],
    ['Create/url/YQ.json', 'an operation in another case'],
    ['constructor.json', 'the name of a property that every object has'],
    ['unknown', 'an operation without an ending'],
    ['/create/url/YQ.json', 'a slash before the operation'],
  ])('throws not_found for %j: %s', (path) => {
    expect(() => parsePath(path)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  const optional = 'custom_url, password, expiry_date, base_domain'
  const encoded = encodedExampleUrl // A valid value for `url` and `short_url`.
  test.each([
    // endings
    [`create/url/${encoded}`, 'path must end in .json or .xml'],
    [`info/short_url/${encoded}`, 'path must end in .json or .xml'],
    [`create/url/${encoded}.JSON`, 'path must end in .json or .xml'],
    [`create/url/${encoded}.json/`, 'path must end in .json or .xml'],
    ['create', 'path must end in .json or .xml'],
    ['list_active_urls', 'path must end in .json or .xml'],
    // missing
    ['create.json', 'url is required'],
    ['create/custom_url/abc.json', 'url is required'],
    ['info.xml', 'short_url is required'],
    // empty
    ['create/url.json', 'url must not be empty'],
    ['create/url/.json', 'url must not be empty'],
    ['create/url/password/p.json', 'url must not be empty'],
    ['create/url//password/p.json', 'url must not be empty'],
    [`create/password//url/${encoded}.json`, 'password must not be empty'],
    [`create/url/${encoded}/password.json`, 'password must not be empty'],
    [`create/url/${encoded}/password/.json`, 'password must not be empty'],
    ['enable/short_url/.json', 'short_url must not be empty'],
    // repeated
    [`create/url/${encoded}/url/${encoded}.json`, 'url must appear only once'],
    [`create/url/${encoded}/password/p/url/${encoded}.json`, 'url must appear only once'],
    [
      `create/url/${removePadding(encoded)}/url/${removePadding(encoded)}.json`,
      'url must appear only once',
    ],
    [`create/password/a/url/${encoded}/password/b.json`, 'password must appear only once'],
    [`create/url/${encoded}/custom_url/a/custom_url/a.json`, 'custom_url must appear only once'],
    [`info/short_url/${encoded}/short_url/${encoded}.json`, 'short_url must appear only once'],
    // unknown
    [
      `create/foo/bar/url/${encoded}.json`,
      `path must contain only these parameters: url, ${optional}`,
    ],
    [`create//url/${encoded}.json`, `path must contain only these parameters: url, ${optional}`],
    [
      `create/url/${encoded}/password/p/.json`,
      `path must contain only these parameters: url, ${optional}`,
    ],
    [
      `create/__proto__/a/url/${encoded}.json`,
      `path must contain only these parameters: url, ${optional}`,
    ],
    [
      `create/url/${encoded}/foo/bar.json`,
      `url must be base64-encoded UTF-8 text, and only these parameters may follow: ${optional}`,
    ],
    [`disable/url/${encoded}.json`, 'path must contain only these parameters: short_url'],
    [
      `info/short_url/${encoded}/password/p.json`,
      'short_url must be base64-encoded UTF-8 text, and no parameters may follow',
    ],
    ['list_active_urls/page/2.json', 'path must have no parameters here'],
    ['list_active_urls/.json', 'path must have no parameters here'],
    // broken values
    ['create/url/%ZZ.json', 'url has a broken percent-escape'],
    ['create/url/YQ%3.json', 'url has a broken percent-escape'],
    [`create/url/${encoded}/password/%C3.json`, 'password has a broken percent-escape'],
    [`create/url/${encoded}/custom_url/100%.json`, 'custom_url has a broken percent-escape'],
    ['create/url/http%3A%2F%2Fexample.com.json', 'url must be base64-encoded UTF-8 text'],
    ['create/url/aHR0cDovL2EuYi8%20.json', 'url must be base64-encoded UTF-8 text'],
    ['create/url/%2Fw%3D%3D.json', 'url must be base64-encoded UTF-8 text'],
    ['create/url/YQ%253D%253D.json', 'url must be base64-encoded UTF-8 text'],
    [`create/url/${encoded}.json.json`, 'url must be base64-encoded UTF-8 text'],
    ['info/short_url/4oI=.json', 'short_url must be base64-encoded UTF-8 text'],
  ])('rejects %s', (path, message) => {
    expect(() => parsePath(path)).toThrow(
      expect.objectContaining({ code: 'invalid_input', message }),
    )
  })

  test('rejects a second url in every encoding and after every URL', () => {
    fc.assert(
      fc.property(
        anyUrl,
        anyUrl,
        anyEncoding,
        anyEncoding,
        (firstUrl, secondUrl, encodeFirst, encodeSecond) => {
          expect(() =>
            parsePath(`create/url/${encodeFirst(firstUrl)}/url/${encodeSecond(secondUrl)}.json`),
          ).toThrow('url must appear only once')
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('does not repeat a possible password if a preceding value is missing', () => {
    expect(() => parsePath(`create/custom_url/password/s3cret/url/${encoded}.json`)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('s3cret') }),
    )
  })
})
