import { type Html, html } from '../../../../kernel/http/index.ts'
import type { Faults } from './form.ts'
import type { AuthenticationMethod, Field } from './methods.ts'
import { connectPage, type Page } from './page.ts'

export interface FormPage {
  displayName: string
  /** The application that the account is connected to; undefined until the builder has named it. */
  appName: string | undefined
  /** Display name of the group that gets the account. */
  groupName: string
  /** Whether the page reconnects an existing connection. */
  again: boolean
  path: string
  /** The provider, if the customer chose it. */
  provider?: string
  formToken: string
  method: AuthenticationMethod
  /** The other authentication methods. */
  others: readonly AuthenticationMethod[]
  /** The metadata fields, then the fields of the method. */
  fields: readonly Field[]
  /** What the customer typed before. The page does not show secrets again. */
  values?: ReadonlyMap<string, string>
  faults?: Faults
  /** 400 if the form was just refused. */
  status: 200 | 400
}

/** Renders the form that a customer fills in. It works without scripts, with a keyboard and with a screen reader. */
export function formPage(shown: FormPage): Page {
  const {
    displayName,
    appName,
    groupName,
    again,
    path,
    provider,
    formToken,
    method,
    others,
    fields,
    values,
    faults,
    status,
  } = shown
  const general = faults?.get('') ?? (faults && faults.size > 0 ? 'Check the highlighted fields.' : undefined)
  const first = fields.find(({ name }) => faults?.has(name))?.name
  const leaves = method.key === 'oauth2' || (method.key === 'conversation' && method.fields.length === 0)
  return connectPage(
    `${again ? 'Reconnect' : 'Connect'} ${displayName}${appName === undefined ? '' : ` to ${appName}`}`,
    html`<p>${appName === undefined ? 'Your account will be used' : html`<strong>${appName}</strong> will use your account`} for <strong>${groupName}</strong>.${leaves && ` ${displayName} asks you to grant access and then returns you here.`}</p>
${general !== undefined && html`<p class="alert" role="alert">${general}</p>`}
<form method="post" action="${path}">
<input type="hidden" name="form" value="${formToken}"><input type="hidden" name="with" value="${method.scheme}">${provider !== undefined && html`<input type="hidden" name="provider" value="${provider}">`}
${fields.map((field) => fieldHtml(field, values?.get(field.name), faults?.get(field.name), field.name === first))}
<button type="submit">${leaves ? `Continue to ${displayName}` : 'Connect'}</button>
</form>
${others.length > 0 && html`<div class="or">or</div>`}
${others.map(({ scheme, name }) => html`<a class="button second" href="${path}?with=${scheme}${provider !== undefined && html`&amp;provider=${provider}`}">Use ${name}</a>`)}`,
    { status, appName },
  )
}

function fieldHtml(field: Field, typed: string | undefined, fault: string | undefined, isFirst: boolean): Html {
  const { name, label, prompt, docsUrl, example, optional } = field
  const hasHint = prompt !== undefined || example !== undefined || linkOf(docsUrl) !== undefined
  const described = [fault !== undefined && 'fault', hasHint && 'hint'].filter((part) => part !== false)
  const id = name.replaceAll('.', '-')
  const attributes = html`id="${id}" name="${name}"${
    described.length > 0 && html` aria-describedby="${described.map((part) => `${id}-${part}`).join(' ')}"`
  }${fault !== undefined && html` aria-invalid="true"`}${optional !== true && html` required`}${isFirst && html` autofocus`}`
  return html`<div class="field"><label for="${id}">${label}${optional && html` <span class="optional">(optional)</span>`}</label>
${control(field, attributes, typed)}
${fault !== undefined && html`<span class="fault" id="${id}-fault">${fault}</span>`}
${hasHint && html`<span class="hint" id="${id}-hint">${prompt}${example !== undefined && html` For example: ${example}`} ${docsLink(docsUrl)}</span>`}</div>
`
}

function control({ type, options, initial, charactersMax }: Field, attributes: Html, typed: string | undefined): Html {
  const plain = html`autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="${charactersMax}"`
  switch (type) {
    case 'secret':
      return html`<input type="password" ${attributes} ${plain}>`
    case 'lines':
      return html`<textarea rows="6" ${attributes} ${plain}></textarea>`
    case 'select':
      return html`<select ${attributes}><option value="">Choose…</option>${(options ?? []).map(
        ({ value, label }) => html`<option value="${value}"${value === typed && html` selected`}>${label}</option>`,
      )}</select>`
    case 'text':
      return html`<input type="text" ${attributes} ${plain} value="${typed ?? initial ?? ''}">`
  }
}

/** Opens in a new tab, so that the form keeps what the customer typed. */
function docsLink(docsUrl: string | undefined): Html | undefined {
  const link = linkOf(docsUrl)
  return link === undefined
    ? undefined
    : html`<a href="${link}" target="_blank" rel="noopener noreferrer">Where to find it</a>`
}

/** Returns the link if it is an http(s) URL. Operators write provider files, so a link may be any text. */
function linkOf(docsUrl: string | undefined): string | undefined {
  const url = docsUrl === undefined ? null : URL.parse(docsUrl)
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}
