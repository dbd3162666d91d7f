import { html, type SafeHtml } from '@remix-run/html-template'
import { invalid } from '../../errors.ts'
import { t } from '../../texts.ts'
import { defineForm, type PageState } from './kit/form.ts'
import { renderPanel } from './kit/parts.ts'
import { renderPopup } from './kit/popup.ts'
import type { Frame } from './shell/layout.ts'

/**
 * Defines the form that deletes an account. It requires the account's username, and the password of
 * the signed-in user.
 */
export function defineDeletionForm(username: string) {
  return defineForm(
    {
      username: {
        label: 'account.deletion.username',
        hint: () => t('account.deletion.usernameHint', { username }),
      },
      deletionPassword: { type: 'confirmation', label: 'account.deletion.password' },
    },
    { fields: { currentPassword: 'deletionPassword' } },
  )
}

/** @throws AppError `invalid_input` naming `username` if the account has another one */
export function requireUsername(typed: string, { username }: { username: string }): void {
  if (typed.trim() !== username) throw invalid('username', 'name_of_account')
}

type Deletion = {
  /** The path that the form posts to. */
  action: string
  username: string
  /** A sentence about further consequences. */
  note: string
  state: PageState
}

/** Renders the form that deletes an account, collapsed unless it has an error. */
export function renderDeletionPanel(
  frame: Frame,
  { action, username, note, state }: Deletion,
): SafeHtml | null {
  const form = defineDeletionForm(username).render(frame, state, {
    action,
    button: t('account.deletion.button'),
    buttonClass: 'button danger',
  })
  if (!form) return null
  const hasError = Boolean(state.errors?.username || state.errors?.deletionPassword)
  return renderPanel('deletion', t('account.deletion.title'), [
    html`<p class="soft">${t('account.deletion.text')} ${note}</p>
${renderPopup({ id: 'delete-account', text: t('account.deletion.summary'), content: form, isOpen: hasError })}`,
  ])
}
