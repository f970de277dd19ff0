import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { ConnectStore } from '../headless/connect-store.ts'
import type { FieldIssue } from '../headless/form-values.ts'
import type { FormField } from '../headless/wire.ts'
import type { MessageKey } from '../messages/en.ts'
import { labelText } from '../messages/standard.ts'
import { named, type ViewContext } from './parts.ts'

export const fieldId = (name: string): string => `field-${name.replaceAll(/[^\w-]/g, '_')}`

export function issueText({ t }: ViewContext, issue: FieldIssue, label: string): string {
  if (issue.code === 'refused') return issue.detail ?? t.text('access.issue.pattern', { field: label })
  return t.text(`access.issue.${issue.code}` as MessageKey, { field: label })
}

/** Hides what is typed without being a field of a password manager, which would offer the password of this product. */
const canMask = typeof CSS !== 'undefined' && CSS.supports('-webkit-text-security', 'disc')

export interface FieldView {
  field: FormField
  value: string
  issue: FieldIssue | undefined
  isRevealed: boolean
  reveal: () => void
}

/** One field of a form: label above, help below, the issue at the field. */
export function fieldView(context: ViewContext, store: ConnectStore, view: FieldView): TemplateResult {
  const { t } = context
  const { field, issue } = view
  const id = fieldId(field.name)
  const label = labelText(t, field.label)
  // A hint may contain the example.
  const example = field.example && field.help?.includes(field.example) ? undefined : field.example
  const described = [field.help || example ? `${id}-help` : '', issue ? `${id}-issue` : ''].filter(Boolean).join(' ')
  return html`<div class="field ${issue ? 'wrong' : ''}" part="field">
    <label for=${id}>${label}${field.optional ? html` <span class="quiet small">(${t.text('optional')})</span>` : nothing}</label>
    ${field.type === 'select' ? selectControl(context, store, view, described) : textControl(context, store, view, described)}
    ${issue ? html`<p class="issue" id="${id}-issue">${issueText(context, issue, label)}</p>` : nothing}
    ${
      field.help || example
        ? html`<div class="quiet small tight" id="${id}-help">
            ${field.help ? html`<p><bdi>${field.help}</bdi></p>` : nothing}
            ${example ? html`<p>${t.text('access.example', { example })}</p>` : nothing}
          </div>`
        : nothing
    }
    ${
      field.docsUrl && /^https?:/i.test(field.docsUrl)
        ? html`<a class="small" href=${field.docsUrl} target="_blank" rel="noreferrer noopener"
            >${t.text('access.docs')}<span class="hidden"> (${label}; ${t.text('newWindow')})</span></a
          >`
        : nothing
    }
  </div>`
}

function selectControl({ t }: ViewContext, store: ConnectStore, { field, value, issue }: FieldView, described: string) {
  const options = field.options ?? []
  return html`<select
    id=${fieldId(field.name)}
    part="input"
    aria-describedby=${described || nothing}
    aria-invalid=${issue ? 'true' : nothing}
    aria-required=${field.optional ? nothing : 'true'}
    @change=${(event: Event) => store.setValue(field.name, (event.target as HTMLSelectElement).value)}
  >
    ${field.optional ? html`<option value="" ?selected=${value === ''}>${t.text('access.choose')}</option>` : nothing}
    ${options.map((one) => html`<option value=${one.value} ?selected=${one.value === value}>${one.label}</option>`)}
  </select>`
}

function textControl(context: ViewContext, store: ConnectStore, view: FieldView, described: string) {
  const { t } = context
  const { field, value, issue, isRevealed } = view
  const id = fieldId(field.name)
  const isSecret = field.type === 'secret'
  const onInput = (event: Event) => store.setValue(field.name, (event.target as HTMLInputElement).value)
  if (field.type === 'lines')
    return html`<div class="control"><textarea
      id=${id}
      part="input"
      rows="5"
      autocomplete="off"
      spellcheck="false"
      aria-describedby=${described || nothing}
      aria-invalid=${issue ? 'true' : nothing}
      aria-required=${field.optional ? nothing : 'true'}
      .value=${live(value)}
      @input=${onInput}
    ></textarea></div>`
  const input = {
    id,
    value,
    isWrong: issue !== undefined,
    isOptional: field.optional === true,
    described,
    prefix: field.prefix,
    suffix: field.suffix,
    onInput: (text: string) => store.setValue(field.name, text),
    onLeave: () => store.tidyValue(field.name),
  }
  if (!isSecret) return textInput({ ...input, isMasked: false })
  return secretInput(context, { ...input, label: labelText(t, field.label), isRevealed, reveal: view.reveal })
}

interface TextInput {
  id: string
  value: string
  isWrong: boolean
  isOptional?: boolean
  /** Ids of what describes the field. */
  described: string
  prefix?: string | undefined
  suffix?: string | undefined
  onInput(text: string): void
  onLeave?(): void
}

/** The control of a secret: masked until the customer asks to see it. */
export function secretInput(
  context: ViewContext,
  { label, isRevealed, reveal, ...input }: TextInput & { label: string; isRevealed: boolean; reveal: () => void },
): TemplateResult {
  return textInput(
    { ...input, isMasked: !isRevealed },
    html`<button type="button" class="plain" aria-label=${named(context, isRevealed ? 'hide' : 'show', label)} @click=${reveal}>
      ${context.t.text(isRevealed ? 'hide' : 'show')}
    </button>`,
  )
}

function textInput(input: TextInput & { isMasked: boolean }, button: TemplateResult | typeof nothing = nothing) {
  return html`<div class="control" dir="ltr">
    ${input.prefix ? html`<span class="affix" aria-hidden="true">${input.prefix}</span>` : nothing}
    <input
      id=${input.id}
      part="input"
      class=${input.isMasked && canMask ? 'masked' : ''}
      type=${input.isMasked && !canMask ? 'password' : 'text'}
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      data-1p-ignore
      data-bwignore
      data-lpignore="true"
      data-form-type="other"
      aria-describedby=${input.described || nothing}
      aria-invalid=${input.isWrong ? 'true' : nothing}
      aria-required=${input.isOptional ? nothing : 'true'}
      .value=${live(input.value)}
      @input=${(event: Event) => input.onInput((event.target as HTMLInputElement).value)}
      @blur=${() => input.onLeave?.()}
    />
    ${input.suffix ? html`<span class="affix" aria-hidden="true">${input.suffix}</span>` : nothing} ${button}
  </div>`
}
