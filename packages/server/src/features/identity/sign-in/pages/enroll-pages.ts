import encodeQR from 'qr'
import { type Html, Html as HtmlText, html } from '../../../../kernel/http/index.ts'
import { consolePath } from '../next-path.ts'
import { totpField } from './factor-page.ts'
import { hidden } from './fields.ts'
import { alert, type Page, page } from './page.ts'
import { passkeyForm, passkeyScript } from './passkey-script.ts'

interface Shown {
  formToken: string
  next: string | undefined
  fault?: string | undefined
  status?: Page['status'] | undefined
}

/** Where a person chooses the factor to set up. */
export function enrollPage(
  shown: Shown & {
    email: string
    /** An organization requires a factor, and the person has none. */
    isRequired: boolean
    /** Names of the factors that the person has. */
    names: string[]
    /** The person has to prove who they are first. */
    needsProof: boolean
    hasPasskeys: boolean
  },
): Page {
  const { formToken, next, fault, status, email, isRequired, names, needsProof, hasPasskeys } = shown
  return page(
    'Set up a second factor',
    html`<p>${isRequired ? 'Your organization requires a second factor to sign in.' : 'With a second factor, a stolen password is not enough to sign in.'} Your account is <strong>${email}</strong>.</p>
${names.length > 0 && html`<p>You have set up: ${names.join(', ')}.</p>`}
${alert(fault)}
<form method="post" action="/signin/enroll">
${hidden({ form: formToken, next })}
${needsProof && proofField}
<div class="field"><button type="submit" name="kind" value="totp">Set up an authenticator app</button></div>
${hasPasskeys && html`<button class="second" type="submit" name="kind" value="passkey">Set up a passkey</button>`}
</form>
${!isRequired && html`<p class="aside"><a href="${next ?? consolePath}">Not now</a></p>`}
<form method="post" action="/signin/out">
${hidden({ form: formToken })}
<button class="second" type="submit">Sign out</button>
</form>`,
    status === undefined ? {} : { status },
  )
}

const proofField = html`<div class="field"><label for="proof">Your password, or a code</label>
<input id="proof" name="proof" type="password" autocomplete="current-password" maxlength="400" aria-describedby="proof-hint" required>
<span class="hint" id="proof-hint">You signed in more than ten minutes ago. Prove that it is you.</span></div>`

/** Shows the secret of an authenticator app, and asks for its first code. */
export function totpSetupPage(shown: Shown & { secret: string; uri: string }): Page {
  const { formToken, next, fault, status, secret, uri } = shown
  return page(
    'Set up your authenticator app',
    html`<p>Scan the QR code with your app, or <a href="${uri}">open it on this device</a>.</p>
${qrCode(uri)}
<p>Or enter this key: <code>${secret.match(/.{1,4}/g)?.join(' ')}</code></p>
${alert(fault)}
<form method="post" action="/signin/enroll/confirm">
${hidden({ form: formToken, next, kind: 'totp' })}
${totpField}
<button type="submit">Continue</button>
</form>`,
    status === undefined ? {} : { status },
  )
}

export function passkeySetupPage(shown: Shown & { options: Record<string, unknown> }): Page {
  const { formToken, next, options } = shown
  return page(
    'Set up your passkey',
    html`<p>Your browser asks where to keep the passkey: on this device, in your password manager, or on a security key.</p>
${passkeyForm('/signin/enroll/confirm', { form: formToken, next, kind: 'passkey' }, 'Create passkey')}
<p class="aside"><a href="/signin/enroll">Use another way</a></p>`,
    { script: { text: passkeyScript, data: { action: 'create', options } } },
  )
}

/** Shows what was set up, with the recovery codes of the first factor. */
export function enrolledPage({
  name,
  recoveryCodes,
  next,
}: {
  name: string
  recoveryCodes: string[] | undefined
  next: string | undefined
}): Page {
  return page(
    recoveryCodes ? 'Store your recovery codes' : 'Second factor set up',
    html`<p><strong>${name}</strong> is set up.</p>
${
  recoveryCodes &&
  html`<p>If you lose your device, each of these codes signs you in once. Store them where you find them without it. They are not shown again.</p>
<p>${recoveryCodes.map((code) => html`<code>${code}</code><br>`)}</p>`
}
<a class="button" href="${next ?? consolePath}">${recoveryCodes ? 'I have stored them' : 'Continue'}</a>`,
  )
}

/** Draws a QR code: dark on light in each color scheme, because many cameras read no other. */
function qrCode(text: string): Html {
  const rows = encodeQR(text, 'raw', { border: 4 })
  const path = rows.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  const size = rows.length
  return html`<p><svg role="img" aria-label="QR code" width="220" height="220" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${new HtmlText(path)}"/></svg></p>`
}
