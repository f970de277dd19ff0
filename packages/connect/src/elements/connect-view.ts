import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { AccessResult, AccessState, ConnectState } from '../headless/connect-state.ts'
import type { ConnectStore } from '../headless/connect-store.ts'
import type { FormMethod, ProviderSummary } from '../headless/wire.ts'
import type { MessageKey } from '../messages/en.ts'
import { labelText, methodText } from '../messages/standard.ts'
import { fieldId, fieldView, issueText } from './field-view.ts'
import {
  backButton,
  emptyView,
  heading,
  letterMark,
  logo,
  searchField,
  skeleton,
  tick,
  troubleNote,
  troubleView,
  type ViewContext,
} from './parts.ts'
import { permissionList } from './permission-list.ts'

export interface ConnectView extends ViewContext {
  /** Names of secret fields that are shown. */
  revealed: ReadonlySet<string>
  reveal(name: string): void
  /** What the button after the last step does; no button without it. */
  onDone?: (() => void) | undefined
  doneLabel?: string | undefined
  /** Leads out of the first step. */
  onBack?: (() => void) | undefined
}

/** Draws what the store says. */
export function connectView(view: ConnectView, store: ConnectStore, state: ConnectState): TemplateResult {
  switch (state.step) {
    case 'loading':
      return skeleton(view)
    case 'failed':
      return state.trouble ? troubleView(view, state.trouble, () => void store.start()) : skeleton(view)
    case 'provider':
      return providerView(view, store, state)
    case 'access':
      return state.access ? accessView(view, store, state, state.access) : skeleton(view)
    case 'permissions':
      return permissionsView(view, store, state)
    case 'done':
      return doneView(view, state)
  }
}

/** Lists of this length and longer can be searched. */
const searchedFrom = 6

function providerView(view: ConnectView, store: ConnectStore, state: ConnectState): TemplateResult {
  const { t, app } = view
  const all = state.info?.providers ?? []
  if (all.length === 0) return emptyView(view, 'provider.empty')
  return html`<div class="stack">
    ${view.onBack ? backButton(view, view.onBack) : nothing}
    <div class="row top">
      ${logo(view)}
      <div class="tight grow">
        ${heading(t.text('provider.title', { app }))}
        <p class="quiet">${t.text('provider.lead')}</p>
      </div>
    </div>
    ${
      all.length >= searchedFrom
        ? html`${searchField(view, { label: t.text('provider.search'), value: state.search, onInput: (text) => store.setSearch(text) })}
            <p class="hidden" role="status">${state.search ? t.text('provider.count', { count: state.providers.length }) : ''}</p>`
        : nothing
    }
    ${
      state.providers.length === 0
        ? html`<p class="quiet">${t.text('provider.none', { query: state.search })}</p>`
        : html`<ul class="list" part="providers">
            ${repeat(
              state.providers,
              ({ name }) => name,
              (provider) => providerEntry(view, store, state, provider),
            )}
          </ul>`
    }
  </div>`
}

function providerEntry(view: ConnectView, store: ConnectStore, state: ConnectState, provider: ProviderSummary) {
  const { t } = view
  const connections = state.info?.connections.filter((one) => one.provider === provider.name) ?? []
  const isBroken = connections.some(({ status }) => status === 'bad_credentials')
  const said = provider.asksFor && t.text(asked[provider.asksFor])
  return html`<li>
    <button type="button" class="entry" part="provider" @click=${() => void store.chooseProvider(provider.name)}>
      ${letterMark(provider.displayName)}
      <span class="grow">
        <strong>${provider.displayName}</strong>
        ${
          isBroken
            ? html`<span class="status error">${t.text('provider.broken')}</span>`
            : connections.length > 0
              ? html`<span class="status ok">${t.text('provider.connected')}</span>`
              : html`<span class="quiet small">${said ?? nothing}</span>`
        }
      </span>
      <span class="chevron" aria-hidden="true"></span>
    </button>
  </li>`
}

const asked: Record<NonNullable<ProviderSummary['asksFor']>, MessageKey> = {
  nothing: 'provider.open',
  apiKey: 'provider.apiKey',
  password: 'provider.basic',
  signIn: 'provider.oauth2',
  keys: 'provider.keys',
}

function accessView(view: ConnectView, store: ConnectStore, state: ConnectState, access: AccessState): TemplateResult {
  const { t, app } = view
  const provider = access.provider.displayName
  const isAgain = access.connectionId !== undefined
  const back = state.canGoBack ? () => store.back() : view.onBack
  return html`<div class="stack">
    ${back && access.phase !== 'leaving' ? backButton(view, back) : nothing}
    <div class="row top">
      ${letterMark(provider, true)}
      <div class="tight grow">
        ${heading(t.text(isAgain ? 'access.titleAgain' : 'access.title', { provider }))}
        <p class="quiet">${t.text(isAgain ? 'access.leadAgain' : 'access.lead', { app, provider })}</p>
      </div>
    </div>
    ${accessBody(view, store, access)}
  </div>`
}

function accessBody(view: ConnectView, store: ConnectStore, access: AccessState): TemplateResult {
  const { t } = view
  const provider = access.provider.displayName
  if (!access.form)
    return access.result?.kind === 'formFailed'
      ? troubleNote(view, access.result.trouble, { provider, retry: () => void store.loadForm() })
      : skeleton(view)
  if (!access.method)
    return html`<div class="note" part="unsupported">
      <strong>${t.text('access.unsupported.title')}</strong>
      <p>${t.text('access.unsupported.text', { provider, app: view.app })}</p>
    </div>`
  if (access.phase === 'leaving') return html`<p role="status">${t.text('access.leaving', { provider })}</p>`
  if (access.phase === 'window') return windowView(view, store, access)
  if (access.continueUrl !== undefined) return stepView(view, store, access)
  return formView(view, store, access, access.method)
}

function windowView({ t }: ConnectView, store: ConnectStore, access: AccessState): TemplateResult {
  const provider = access.provider.displayName
  return html`<div class="note" role="status" part="window">
      <strong>${t.text('access.window', { provider })}</strong>
      <p>${t.text('access.windowText')}</p>
    </div>
    <button type="button" id="cancel" @click=${() => store.cancelWindow()}>${t.text('access.windowCancel')}</button>`
}

function stepView(view: ConnectView, store: ConnectStore, access: AccessState): TemplateResult {
  const provider = access.provider.displayName
  return html`${access.result ? resultNote(view, store, access, access.result) : nothing}
    <div class="note" part="step">
      <strong>${view.t.text('access.step', { provider })}</strong>
      <p>${view.t.text('access.stepText', { provider })}</p>
    </div>
    <button type="button" class="primary" id="submit" part="primary" @click=${() => void store.continue()}>
      ${view.t.text('access.stepOpen', { provider })}
    </button>`
}

function formView(view: ConnectView, store: ConnectStore, access: AccessState, method: FormMethod): TemplateResult {
  const { t } = view
  const provider = access.provider.displayName
  const isSending = access.phase === 'sending'
  const submit = (event: Event) => {
    event.preventDefault()
    void store.submit()
  }
  return html`<form class="stack" novalidate autocomplete="off" @submit=${submit}>
    ${access.issues.length > 0 ? summary(view, access, method) : nothing}
    ${access.result ? resultNote(view, store, access, access.result) : nothing}
    ${methodChoice(view, store, access)}
    ${method.kind === 'none' ? html`<p>${t.text('access.none', { provider })}</p>` : nothing}
    ${repeat(
      method.fields,
      ({ name }) => `${method.scheme} ${name}`,
      (field) =>
        fieldView(view, store, {
          field,
          value: access.values[field.name] ?? '',
          issue: access.issues.find((issue) => issue.field === field.name),
          isRevealed: view.revealed.has(field.name),
          reveal: () => view.reveal(field.name),
        }),
    )}
    ${method.kind === 'oauth2' ? oauthText(view, access, method) : nothing}
    <button class="primary" id="submit" part="primary" aria-disabled=${isSending ? 'true' : nothing}>
      ${isSending ? t.text('access.sending') : t.text(access.connectionId ? 'access.submitAgain' : 'access.submit', { provider })}
    </button>
    <p class="hidden" role="status">${isSending ? t.text('access.sending') : ''}</p>
  </form>`
}

/** Several ways to authenticate: a group of radio buttons. */
function methodChoice({ t }: ConnectView, store: ConnectStore, access: AccessState): TemplateResult | typeof nothing {
  const methods = access.form?.methods ?? []
  if (methods.length < 2) return nothing
  return html`<fieldset class="choices" part="methods">
    <legend class="label">${t.text('access.methods')}</legend>
    ${methods.map(
      (method) => html`<label class="choice">
        <input
          type="radio"
          name="method"
          value=${method.scheme}
          .checked=${method.scheme === access.method?.scheme}
          @change=${() => store.chooseMethod(method.scheme)}
        />
        <span>${methodText(t, method, access.provider.displayName)}</span>
      </label>`,
    )}
  </fieldset>`
}

function oauthText({ t }: ConnectView, access: AccessState, { host, scopes = [] }: FormMethod): TemplateResult {
  const provider = access.provider.displayName
  return html`<div class="stack oauth">
    <p>${t.text('access.leads', { host, provider })}</p>
    ${
      scopes.length > 0
        ? html`<div class="tight">
            <p class="label" id="scopes">${t.text('access.scopes', { provider })}</p>
            <ul class="bullets" aria-labelledby="scopes">
              ${scopes.map(({ name, description }) => html`<li><bdi>${description ?? html`<code>${name}</code>`}</bdi></li>`)}
            </ul>
          </div>`
        : nothing
    }
  </div>`
}

/** All gaps; takes the focus, and leads to each field. */
function summary(view: ConnectView, access: AccessState, method: FormMethod): TemplateResult {
  const label = (name: string) => {
    const field = method.fields.find((one) => one.name === name)
    return field ? labelText(view.t, field.label) : name
  }
  return html`<div class="note error" id="result" tabindex="-1" role="group" aria-labelledby="result-title" part="error">
    <strong id="result-title">${view.t.text('access.issues', { count: access.issues.length })}</strong>
    <ul>
      ${access.issues.map(
        (issue) => html`<li>
          <button type="button" @click=${() => view.focus(fieldId(issue.field))}>${issueText(view, issue, label(issue.field))}</button>
        </li>`,
      )}
    </ul>
  </div>`
}

function resultNote(view: ConnectView, store: ConnectStore, access: AccessState, result: AccessResult): TemplateResult {
  const { t } = view
  const provider = access.provider.displayName
  if (result.kind === 'trouble' || result.kind === 'formFailed') return troubleNote(view, result.trouble, { provider })
  const isBlocked = result.kind === 'blocked'
  const said = result.kind === 'denied' ? result.detail : undefined
  return html`<div
    class="note ${isBlocked ? 'warning' : 'error'}"
    id="result"
    tabindex="-1"
    role="group"
    aria-labelledby="result-title"
    part="error"
  >
    <strong id="result-title">${t.text(`access.${result.kind}`)}</strong>
    <p><bdi>${said ?? t.text(`access.${result.kind}Text`, { provider })}</bdi></p>
    <div class="actions">
      <button type="button" part="retry" @click=${() => void (access.continueUrl ? store.continue() : store.submit())}>${t.text('tryAgain')}</button>
      ${
        isBlocked
          ? html`<button type="button" @click=${() => void store.submit('redirect')}>${t.text('access.here')}</button>`
          : nothing
      }
    </div>
  </div>`
}

/** What the account did not grant: the customer grants it, or continues without it. */
function permissionsView(view: ConnectView, store: ConnectStore, state: ConnectState): TemplateResult {
  const { t, app } = view
  const { connection, access, canContinue } = state
  if (!connection || !access) return skeleton(view)
  const provider = access.provider.displayName
  if (access.phase === 'leaving') return html`<p role="status">${t.text('access.leaving', { provider })}</p>`
  if (access.phase === 'window') return html`<div class="stack">${windowView(view, store, access)}</div>`
  return html`<div class="stack" part="permissions">
    <div class="row top">
      ${letterMark(provider, true)}
      <div class="tight grow">
        ${heading(t.text('permissions.title'))}
        <p class="quiet">${t.text(canContinue ? 'permissions.lead' : 'permissions.required', { app, provider })}</p>
      </div>
    </div>
    ${
      access.result?.kind === 'formFailed'
        ? troubleNote(view, access.result.trouble, { provider, retry: () => void store.loadForm() })
        : access.result
          ? resultNote(view, store, access, access.result)
          : nothing
    }
    <div class="note warning">
      <p>${t.text('manage.scopes', { provider })}</p>
      ${permissionList(view, connection.missingPermissions ?? [])}
    </div>
    <button
      type="button"
      class="primary"
      id="submit"
      part="primary"
      aria-disabled=${access.method && access.phase === 'editing' ? nothing : 'true'}
      @click=${() => void store.submit()}
    >
      ${t.text('manage.allow')}
    </button>
    ${
      canContinue
        ? html`<button type="button" part="skip" @click=${() => store.continueWithout()}>${t.text('permissions.skip')}</button>`
        : nothing
    }
  </div>`
}

function doneView(view: ConnectView, { connection, info }: ConnectState): TemplateResult {
  const { t, app } = view
  const provider =
    info?.providers.find(({ name }) => name === connection?.provider)?.displayName ?? connection?.provider
  const isWorking = connection?.status === 'working'
  return html`<div class="stack center" part="done">
    ${tick}
    <div class="tight">
      ${heading(t.text('access.works', { provider }))}
      <p class="quiet">${t.text(isWorking ? 'access.worksText' : 'access.unchecked', { app })}</p>
    </div>
    ${
      view.onDone
        ? html`<button type="button" class="primary wide" id="submit" part="primary" @click=${view.onDone}>${view.doneLabel ?? t.text('done')}</button>`
        : nothing
    }
  </div>`
}
