import { type Html, html } from '../../../../kernel/http/index.ts'
import { hidden } from './fields.ts'

/**
 * Asks the browser for a passkey when the form is sent, and sends its response. The script never changes, so the policy
 * of the page can allow it by its hash. It reads the options from a data block.
 */
export const passkeyScript = `(() => {
  const { action, options } = JSON.parse(document.getElementById('data').textContent)
  const part = document.getElementById('passkey')
  const form = part.querySelector('form')
  const fault = document.getElementById('passkey-fault')
  const show = (text) => {
    fault.textContent = text
    fault.hidden = false
  }
  if (!window.PublicKeyCredential) return show('This browser has no passkeys. Use another way.')
  part.hidden = false
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0))
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  const credentials = (list) => list && list.map((one) => ({ ...one, id: bytes(one.id) }))
  const publicKey = {
    ...options,
    challenge: bytes(options.challenge),
    ...(options.user && { user: { ...options.user, id: bytes(options.user.id) } }),
    ...(options.excludeCredentials && { excludeCredentials: credentials(options.excludeCredentials) }),
    ...(options.allowCredentials && { allowCredentials: credentials(options.allowCredentials) }),
  }
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = form.querySelector('button')
    button.disabled = true
    fault.hidden = true
    try {
      const { id, rawId, type, response } = await navigator.credentials[action]({ publicKey })
      const values = { clientDataJSON: text(response.clientDataJSON) }
      if (action === 'create') {
        values.attestationObject = text(response.attestationObject)
        values.transports = response.getTransports ? response.getTransports() : []
      } else {
        values.authenticatorData = text(response.authenticatorData)
        values.signature = text(response.signature)
        if (response.userHandle) values.userHandle = text(response.userHandle)
      }
      form.elements.response.value = JSON.stringify({ id, rawId: text(rawId), type, response: values })
      form.submit()
    } catch (error) {
      button.disabled = false
      show(error && error.name === 'InvalidStateError' ? 'This passkey is already set up.' : 'The passkey was not used. Try again, or use another way.')
    }
  })
})()`

/** Renders the form of a passkey, which the script shows. */
export function passkeyForm(action: string, fields: Record<string, string | undefined>, button: string): Html {
  return html`<noscript><p class="alert">Passkeys need scripts. Allow them for this page, or use another way.</p></noscript>
<p class="alert" id="passkey-fault" role="alert" hidden></p>
<div id="passkey" hidden>
<form method="post" action="${action}">
${hidden({ ...fields, response: '' })}
<button type="submit">${button}</button>
</form>
</div>`
}
