import { type Html, html } from '../../../kernel/http/index.ts'
import { hidden, messagePage, type Page, page } from '../../identity/sign-in/index.ts'
import { isDocumentUrl } from './client-document.ts'
import { redirectTarget } from './redirect-uri.ts'
import type { SignInRow } from './sign-in-store.ts'

export const consentPath = '/signin/agent'

/** Asks whether an MCP client may act as the person, and whether it may change something. Reading is preselected. */
export function consentPage(signIn: SignInRow, { formToken, email }: { formToken: string; email: string }): Page {
  const { id, client_id: clientId, client_name: name, redirect_uri: redirectUri } = signIn
  const { host, isLocal } = redirectTarget(redirectUri)
  const vouched = isDocumentUrl(clientId) ? new URL(clientId).host : undefined
  return page(
    'Connect this agent to Mortise?',
    html`<p><strong>${name}</strong> wants to work with Mortise as <strong>${email}</strong>.</p>
<ul>
<li>${
      vouched === undefined
        ? html`The program chose its name itself: anybody can choose any name.`
        : html`<code>${vouched}</code> vouches for the name.`
    }</li>
<li>It gets access at <code>${host}</code>${isLocal && ', a program on this computer'}.</li>
<li>It can do at most what you can do, in your projects. What it reads goes to the company that runs its model. It never sees credentials of your customers.</li>
</ul>
<p>Connect it only if you have just started this yourself.</p>
<form method="post" action="${consentPath}">
${hidden({ form: formToken, request: id })}
<fieldset>
<legend>What may it do?</legend>
${choice('read', 'Only read', 'Integrations, installations, operations and logs. Messages without their contents.')}
${choice('change', 'Read and change', 'Also deploy manifests, pause and start reads, and send dead letters again.')}
</fieldset>
<button type="submit" name="decision" value="connect">Connect</button>
<button class="second" type="submit" name="decision" value="refuse">Refuse</button>
</form>
<form method="post" action="/signin/out">
${hidden({ form: formToken })}
<button class="second" type="submit">Not me: sign out</button>
</form>`,
    { formsLeadTo: formTarget(redirectUri) },
  )
}

function choice(access: 'read' | 'change', title: string, hint: string): Html {
  return html`<label class="choice"><input type="radio" name="access" value="${access}"${access === 'read' && html` checked`}>${title}<span class="hint">${hint}</span></label>`
}

/** Renders the end of a sign-in that does not wait in this browser. */
export function staleConsent(): Page {
  return messagePage(
    'The sign-in has ended',
    'This page has expired, was already used, or belongs to another browser. Nothing was connected. Start the sign-in again in the program that you want to connect. If you did not start one yourself, close this page.',
    { status: 400 },
  )
}

/** Returns the source that `form-action` needs for a redirect: browsers know no IPv6 addresses there. */
function formTarget(redirectUri: string): string {
  const { protocol, origin, hostname } = new URL(redirectUri)
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && !hostname.startsWith('[') ? origin : protocol
}
