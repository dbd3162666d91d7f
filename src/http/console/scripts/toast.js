// Hides the confirmation when its button is pressed, or after a while unless it is hovered or focused.

const VISIBLE_MS = 10_000
const toast = document.getElementById('toast')

if (toast) {
  const button = toast.querySelector('[data-dismiss]')
  if (button instanceof HTMLElement) {
    button.hidden = false
    button.addEventListener('click', () => toast.remove())
  }
  const hide = () => {
    if (!toast.matches(':hover, :focus-within')) toast.remove()
    else setTimeout(hide, VISIBLE_MS)
  }
  setTimeout(hide, VISIBLE_MS)
}
