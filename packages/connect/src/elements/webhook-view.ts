import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { WebhookState, WebhookStore } from '../headless/webhook-store.ts'
import type { InstallationWebhook } from '../headless/wire.ts'
import { secretInput } from './field-view.ts'
import { backButton, heading, skeleton, troubleNote, troubleView, type ViewContext } from './parts.ts'

export interface WebhookView extends ViewContext {
  isRevealed: boolean
  reveal(): void
  isCopied: boolean
  copy(text: string): Promise<void>
  onBack?: (() => void) | undefined
  onDone?: (() => void) | undefined
}

/** Draws what the store says: the address to copy, and the field of the secret. */
export function webhookView(view: WebhookView, store: WebhookStore, state: WebhookState): TemplateResult {
  const { t } = view
  const { step, webhook, trouble } = state
  if (step === 'failed' && trouble)
    return html`<div class="stack">
      ${view.onBack ? backButton(view, view.onBack) : nothing} ${troubleView(view, trouble, () => void store.start())}
    </div>`
  if (!webhook) return skeleton(view)
  const provider = webhook.providerDisplayName
  return html`<div class="stack" part="webhook">
    ${view.onBack ? backButton(view, view.onBack) : nothing}
    <div class="tight">
      ${heading(t.text('webhook.title', { provider }))}
      <p class="quiet">${t.text('webhook.lead', { provider })}</p>
    </div>
    ${addressField(view, webhook)} ${secretForm(view, store, state, webhook)}
  </div>`
}

function addressField(view: WebhookView, { url }: InstallationWebhook): TemplateResult {
  const { t } = view
  return html`<div class="field" part="field">
    <label for="webhook-url">${t.text('webhook.url')}</label>
    <div class="control" dir="ltr">
      <input
        id="webhook-url"
        part="input"
        type="text"
        readonly
        .value=${live(url)}
        @focus=${(event: FocusEvent) => (event.target as HTMLInputElement).select()}
      />
      <button type="button" class="plain" @click=${() => void view.copy(url)}>
        ${t.text(view.isCopied ? 'webhook.copied' : 'webhook.copy')}
      </button>
    </div>
  </div>`
}

function secretForm(
  view: WebhookView,
  store: WebhookStore,
  state: WebhookState,
  { secret, providerDisplayName: provider }: InstallationWebhook,
): TemplateResult | typeof nothing {
  const { t } = view
  if (!secret) return nothing
  const label = secret.displayName
  return html`<form
    class="stack"
    novalidate
    @submit=${(event: SubmitEvent) => {
      event.preventDefault()
      void store.save()
    }}
  >
    <div class="note ${secret.state === 'set' ? '' : 'warning'}" role="status">
      <p>${
        state.isSaved
          ? t.text('webhook.saved')
          : secret.setTime === undefined
            ? t.text('webhook.missing', { provider })
            : t.text('webhook.set', { date: t.dateTime(secret.setTime) })
      }</p>
      ${
        secret.previousExpireTime === undefined
          ? nothing
          : html`<p class="small">${t.text('webhook.previous', { date: t.dateTime(secret.previousExpireTime) })}</p>`
      }
    </div>
    ${state.trouble ? troubleNote(view, state.trouble, { provider }) : nothing}
    <div class="field ${state.isMissing ? 'wrong' : ''}" part="field">
      <label for="webhook-secret">${label}</label>
      ${secretInput(view, {
        id: 'webhook-secret',
        label,
        value: state.secret,
        isRevealed: view.isRevealed,
        reveal: view.reveal,
        isWrong: state.isMissing,
        described: [secret.prompt ? 'webhook-help' : '', state.isMissing ? 'webhook-issue' : '']
          .filter(Boolean)
          .join(' '),
        onInput: (text) => store.setSecret(text),
      })}
      ${state.isMissing ? html`<p class="issue" id="webhook-issue">${t.text('access.issue.required', { field: label })}</p>` : nothing}
      ${secret.prompt ? html`<p class="quiet small" id="webhook-help"><bdi>${secret.prompt}</bdi></p>` : nothing}
      ${
        secret.docsUrl && /^https?:/i.test(secret.docsUrl)
          ? html`<a class="small" href=${secret.docsUrl} target="_blank" rel="noreferrer noopener"
              >${t.text('access.docs')}<span class="hidden"> (${label}; ${t.text('newWindow')})</span></a
            >`
          : nothing
      }
    </div>
    <div class="actions">
      <button
        type="submit"
        id="submit"
        class=${state.isSaved ? '' : 'primary'}
        part=${state.isSaved ? nothing : 'primary'}
        aria-disabled=${state.isSaving ? 'true' : nothing}
      >
        ${t.text(state.isSaving ? 'saving' : 'webhook.submit')}
      </button>
      ${
        view.onDone
          ? html`<button
              type="button"
              class=${state.isSaved ? 'primary' : 'plain'}
              part=${state.isSaved ? 'primary' : nothing}
              @click=${view.onDone}
            >
              ${t.text(state.isSaved ? 'continue' : 'webhook.later')}
            </button>`
          : nothing
      }
    </div>
  </form>`
}
