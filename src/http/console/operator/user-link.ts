import { html } from '@remix-run/html-template'
import type { Config } from '../../../config.ts'
import type { AddedUser } from '../../../operator/user-actions.service.ts'
import { t } from '../../../texts.ts'
import { renderCopyable, renderPanel } from '../kit/parts.ts'
import type { Page, Redirect } from '../kit/subject.ts'

type UserLink = {
  email: string
  url: string
  /** How long the link is valid. */
  validity: 'hour' | 'week' | 'always'
  /** The page to continue to. */
  next: string
}

/** Renders the link that an admin sends to a user, to set a password or to sign in. */
export function renderUserLink({ email, url, validity, next }: UserLink): Page {
  const title = t('admin.user.link.title', { email })
  return {
    title,
    body: () => html`<h1>${title}</h1>
${renderPanel('link', t('admin.user.link.send', { email }), [
  html`<p>${renderCopyable({ id: 'user-link', text: url })}</p>`,
  html`<p class="soft">${t(`admin.user.link.validity.${validity}`)}</p>`,
  html`<p class="actions"><a class="button" href="${next}">${t('admin.user.link.done')}</a></p>`,
])}`,
  }
}

type Next = {
  /** The page to continue to. */
  next: string
  /** The values of `done` there for a user whose link was mailed, and for an existing user. */
  mailed: string
  known: string
}

/** Shows the link of a new user once, or continues if it was mailed or the user existed before. */
export function showAddedUser(
  { passwordSignIn }: Pick<Config, 'passwordSignIn'>,
  { user: { email }, welcome }: AddedUser,
  { next, mailed, known }: Next,
): Page | Redirect {
  const { url } = welcome ?? {}
  if (url === undefined) return { to: `${next}?done=${welcome ? mailed : known}` }
  // Without passwords, the link is the sign-in page, which does not expire.
  return renderUserLink({ email, url, validity: passwordSignIn ? 'week' : 'always', next })
}
