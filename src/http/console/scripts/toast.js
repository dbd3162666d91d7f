// Hides the confirmation when its button is pressed, or after a while unless it is hovered or focused.

import { find } from './page.js'

const VISIBLE_MS = 10_000
const toast = find('#toast')

if (toast) {
  const button = find('[data-dismiss]', toast)
  button?.removeAttribute('hidden')
  button?.addEventListener('click', () => toast.remove())
  const hide = () => {
    if (!toast.matches(':hover, :focus-within')) toast.remove()
    else setTimeout(hide, VISIBLE_MS)
  }
  setTimeout(hide, VISIBLE_MS)
}
