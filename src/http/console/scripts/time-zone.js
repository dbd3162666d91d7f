// Suggests the browser's time zone if it differs from the entered one.
const field = document.getElementById('timeZone')
const button = document.querySelector('[data-browser-zone]')
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

if (field instanceof HTMLInputElement && button instanceof HTMLElement && field.value !== zone) {
  button.textContent = `${button.textContent}: ${zone}`
  button.hidden = false
  button.addEventListener('click', () => {
    field.value = zone
    button.hidden = true
    field.focus()
  })
}
