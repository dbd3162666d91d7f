import { expect, test } from 'vitest'
import { removeForbiddenControls } from './permitted-page.ts'

const place = {
  ownPath: '/console/links/1',
  findRole: (method: 'GET' | 'POST', path: string) =>
    path === '/console/keys'
      ? ('owner' as const)
      : path === '/console/sign-out' || path === '/console/account/email'
        ? ('viewer' as const)
        : method === 'POST' || path.startsWith('/console/links/new')
          ? ('editor' as const)
          : undefined,
}

test("an owner's page is unchanged", () => {
  const page = '<form method="post" action="/console/keys"><button>x</button></form>'
  expect(removeForbiddenControls(page, 'owner', place)).toBe(page)
})

test.for([
  [
    'a form that posts',
    '<p>a</p><form method="post" action="/console/links/new">x</form>',
    '<p>a</p>',
  ],
  ['a form that posts to the page itself', '<form class="a" method="post">x</form>b', 'b'],
  ['a link to a form', '<a class="button" href="/console/links/new?url=x">New</a>b', 'b'],
  [
    'controls of a form elsewhere on the page',
    '<form id="f" method="post" action="/console/links">x</form><input form="f"><button class="a" form="f">b</button><input>',
    '<input>',
  ],
  [
    'a section that becomes empty',
    '<section class="panel"><h2>New</h2><details><summary>a</summary><form method="post" action="/console/links">x</form></details></section>b',
    'b',
  ],
])("a viewer's page does not have %s", ([, page = '', expected]) => {
  expect(removeForbiddenControls(page, 'viewer', place)).toBe(expected)
})

test.for([
  '<form method="get" action="/console/links">x</form>',
  '<form method="post" action="/console/sign-out">x</form>',
  '<form method="dialog">x</form>',
  '<a href="/console/links/1">x</a><a href="https://example.com/new">x</a>',
  '<section><h2>a</h2><form method="post" action="/console/account/email">x</form></section>',
])("a viewer's page keeps %s", (page) => {
  expect(removeForbiddenControls(page, 'viewer', place)).toBe(page)
})

test("a viewer's page keeps a section that contains more than the form", () => {
  const table =
    '<table><tr><td>a</td><td><form method="post" action="/console/links">x</form></td></tr></table>'
  expect(removeForbiddenControls(`<section>${table}</section>`, 'viewer', place)).toBe(
    '<section><table><tr><td>a</td><td></td></tr></table></section>',
  )
})

test("an editor's page has forms for links but not for keys", () => {
  const links = '<form method="post" action="/console/links">x</form>'
  expect(
    removeForbiddenControls(
      `${links}<form method="post" action="/console/keys">x</form>`,
      'editor',
      place,
    ),
  ).toBe(links)
})
