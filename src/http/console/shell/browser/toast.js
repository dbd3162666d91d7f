// Hides a confirmation after a while, unless it is hovered or focused, or when its button is
// pressed.

const VISIBLE_MS = 10_000
const toast = document.getElementById('toast')

if (toast) {
  const button = toast.querySelector('[data-dismiss]')
  if (button instanceof HTMLElement) {
    button.hidden = false
    button.addEventListener('click', () => toast.remove())
  }
  const leave = () => {
    if (!toast.matches(':hover, :focus-within')) toast.remove()
    else setTimeout(leave, VISIBLE_MS)
  }
  setTimeout(leave, VISIBLE_MS)
}
