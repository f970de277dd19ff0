import { html, nothing, type TemplateResult } from 'lit'
import { isChanged, type ObjectDraft, objectIssues } from '../headless/draft.ts'
import type { InstallState } from '../headless/install-state.ts'
import type { InstallStore } from '../headless/install-store.ts'
import { deniedObjects } from '../headless/permissions.ts'
import type { InstallView } from './install-context.ts'
import { doneView } from './install-done-view.ts'
import { issueSummary } from './issue-summary.ts'
import { objectView } from './object-view.ts'
import { backButton, heading, letterMark, logo, named, skeleton, troubleNote, troubleView } from './parts.ts'
import { previewView } from './preview-view.ts'

/** Draws what the store says. */
export function installView(view: InstallView, store: InstallStore, state: InstallState): TemplateResult {
  const provider = state.integration?.providerDisplayName
  switch (state.step) {
    case 'loading':
      return skeleton(view)
    case 'failed':
      return failedView(view, store, state, provider)
    case 'connect':
      return view.connect()
    case 'account':
      return accountView(view, store, state)
    case 'objects':
      return objectsView(view, store, state)
    case 'object':
      return objectView(view, store, state)
    case 'preview':
      return previewView(view, store, state)
    case 'webhook':
      return view.webhook()
    case 'done':
      return doneView(view, state)
  }
}

function failedView(view: InstallView, store: InstallStore, state: InstallState, provider: string | undefined) {
  const { t } = view
  const trouble = state.trouble ?? { kind: 'failed', canRetry: true }
  if (trouble.kind !== 'refused' || provider === undefined)
    return troubleView(view, trouble, () => void store.start(), provider)
  // The account exists, but its credential does not work any more.
  return html`<div class="stack">
    ${view.onBack ? backButton(view, view.onBack) : nothing}
    <div class="row top">
      ${letterMark(provider, true)}
      <div class="grow">${heading(t.text('access.titleAgain', { provider }))}</div>
    </div>
    ${troubleNote(view, trouble, {
      provider,
      text: t.text('manage.brokenText', { provider }),
      retry: () => void store.start(),
      extra: html`<button type="button" class="primary" part="primary" @click=${() => store.connect()}>
        ${t.text('manage.reconnectNamed', { name: provider })}
      </button>`,
    })}
  </div>`
}

function accountView(view: InstallView, store: InstallStore, { connections, integration }: InstallState) {
  const { t } = view
  const provider = integration?.providerDisplayName ?? ''
  return html`<div class="stack">
    ${view.onBack ? backButton(view, view.onBack) : nothing}
    <div class="tight">
      ${heading(t.text('install.account'))}
      <p class="quiet">${t.text('install.accountText', { provider })}</p>
    </div>
    <ul class="list">
      ${connections.map(
        (connection) => html`<li>
          <button type="button" class="entry" part="account" @click=${() => void store.useConnection(connection)}>
            ${letterMark(provider)}
            <span class="grow">
              <strong>${connection.providerWorkspaceRef ?? connection.consumer.consumerName ?? connection.consumer.consumerRef ?? provider}</strong>
              <span class="quiet small">${t.text('install.accountSince', { date: t.date(connection.createTime) })}</span>
            </span>
            <span class="chevron" aria-hidden="true"></span>
          </button>
        </li>`,
      )}
    </ul>
    <button type="button" @click=${() => store.connect()}>${t.text('install.accountNew')}</button>
  </div>`
}

function objectsView(view: InstallView, store: InstallStore, state: InstallState): TemplateResult {
  const { t, app } = view
  const { draft, integration } = state
  if (!draft || !integration) return skeleton(view)
  const provider = integration.providerDisplayName
  return html`<div class="stack">
    ${view.onBack ? backButton(view, view.onBack) : nothing}
    <div class="row top">
      ${logo(view)}
      <div class="tight grow">
        ${heading(t.text('install.objects'))}
        <p class="quiet">${t.text('install.objectsText', { app, provider })}</p>
      </div>
    </div>
    ${issueSummary(view, store, state, draft)}
    <ul class="list" part="objects">
      ${draft.objects.map((object) => objectEntry(view, store, state, object))}
    </ul>
    ${
      draft.writes.length > 0
        ? html`<fieldset class="choices" part="writes">
            <legend>${t.text('install.writes')}</legend>
            <p class="quiet small">${t.text('install.writesText', { app, provider })}</p>
            ${draft.writes.map(
              ({ objectName, label, isOn }) => html`<label class="choice">
                <input
                  type="checkbox"
                  .checked=${isOn}
                  @change=${(event: Event) => store.setWrite(objectName, (event.target as HTMLInputElement).checked)}
                />
                <span>${label}</span>
              </label>`,
            )}
          </fieldset>`
        : nothing
    }
    <button type="button" class="primary" id="submit" part="primary" @click=${() => void store.preview()}>
      ${t.text('continue')}
    </button>
  </div>`
}

function objectEntry(view: InstallView, store: InstallStore, state: InstallState, object: ObjectDraft) {
  const { t } = view
  const { objectName, label, isOn } = object
  const missing = objectIssues(object).length
  const isDenied = state.connection !== undefined && deniedObjects(state.connection, 'read').has(objectName)
  const saved = state.saved?.objects.find((one) => one.objectName === objectName)
  const count = object.required.length + object.selected.size
  const mapped = object.mappings.filter(({ field }) => field !== undefined).length
  const said = object.isAll ? t.text('install.object.all') : t.text('install.object.summary', { count, mapped })
  return html`<li class="row entry" part="object">
    <input
      type="checkbox"
      id="read-${objectName}"
      aria-label=${t.text('install.object.read', { object: label })}
      .checked=${isOn}
      @change=${(event: Event) => store.setRead(objectName, (event.target as HTMLInputElement).checked)}
    />
    <label class="grow" for="read-${objectName}">
      <strong
        >${label}${saved && isChanged(object, saved) ? html` <span class="tag">${t.text('install.changed')}</span>` : nothing}</strong
      >
      ${
        isOn && missing > 0
          ? html`<span class="status warning">${t.text('install.object.missing', { count: missing })}</span>`
          : !isOn && isDenied
            ? html`<span class="status warning">${t.text('install.object.denied')}</span>`
            : html`<span class="quiet small">${isOn ? said : t.text('install.object.off')}</span>`
      }
    </label>
    ${
      isOn
        ? html`<button
            type="button"
            class="plain"
            aria-label=${named(view, 'install.object.fields', label)}
            @click=${() => store.openObject(objectName)}
          >
            ${t.text('install.object.fields')}
          </button>`
        : nothing
    }
  </li>`
}
