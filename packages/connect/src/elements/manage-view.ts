import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ManagedConnection, ManagedInstallation, ManageState } from '../headless/manage-state.ts'
import type { ManageStore } from '../headless/manage-store.ts'
import type { MessageKey } from '../messages/en.ts'
import { objectProgress } from './install-done-view.ts'
import {
  backButton,
  emptyView,
  heading,
  letterMark,
  named,
  skeleton,
  troubleNote,
  troubleView,
  type ViewContext,
} from './parts.ts'
import { permissionList } from './permission-list.ts'
import { removeView } from './remove-view.ts'

/** The steps that other views draw. */
export interface ManageSteps {
  onBack?: (() => void) | undefined
  reconnect(): TemplateResult
  change(): TemplateResult
  webhook(): TemplateResult
}

const looks: Record<ManagedInstallation['state'], { tone: string; text: MessageKey }> = {
  working: { tone: 'ok', text: 'manage.working' },
  paused: { tone: '', text: 'manage.paused' },
  unhealthy: { tone: 'error', text: 'manage.unhealthy' },
  broken: { tone: 'error', text: 'manage.broken' },
}

/** Draws what the store says. */
export function manageView(
  view: ViewContext,
  store: ManageStore,
  state: ManageState,
  steps: ManageSteps,
): TemplateResult {
  switch (state.step) {
    case 'loading':
      return skeleton(view)
    case 'failed':
      return state.trouble ? troubleView(view, state.trouble, () => void store.start()) : skeleton(view)
    case 'reconnect':
      return steps.reconnect()
    case 'change':
      return steps.change()
    case 'webhook':
      return steps.webhook()
    case 'remove':
      return state.removal ? removeView(view, store, state.removal) : skeleton(view)
    case 'list':
      return listView(view, store, state, steps)
  }
}

function listView(view: ViewContext, store: ManageStore, state: ManageState, { onBack }: ManageSteps): TemplateResult {
  const { t, app } = view
  const { installations, connections, said, loadedAt } = state
  const isEmpty = installations.length === 0 && connections.length === 0
  const [only] = installations
  const title = onBack && only ? only.integration.displayName : t.text('manage.title', { app })
  return html`<div class="stack">
    ${onBack ? backButton(view, onBack) : nothing}
    <p class="hidden" role="status">${said ? t.text(`manage.announced.${said.what}`, { name: said.name }) : ''}</p>
    ${
      isEmpty
        ? emptyView(view, 'manage.empty')
        : html`${heading(title)}
            ${
              installations.length > 0
                ? html`<section class="tight wide-gap">
                    ${onBack && only ? nothing : html`<h3>${t.text('manage.integrations')}</h3>`}
                    <ul class="stack">
                      ${repeat(
                        installations,
                        ({ installation }) => installation.id,
                        (one) => installationEntry(view, store, state, one),
                      )}
                    </ul>
                  </section>`
                : nothing
            }
            ${
              connections.length > 0
                ? html`<section class="tight wide-gap">
                    <h3>${t.text('manage.accounts')}</h3>
                    <ul class="stack">
                      ${repeat(
                        connections,
                        ({ connection }) => connection.id,
                        (one) => connectionEntry(view, store, one),
                      )}
                    </ul>
                  </section>`
                : nothing
            }`
    }
    ${
      loadedAt
        ? html`<p class="row small quiet">
            <span class="grow">${t.text('manage.stale', { date: t.date(loadedAt) })}</span>
            <button type="button" class="plain" @click=${() => void store.start()}>${t.text('manage.refresh')}</button>
          </p>`
        : nothing
    }
  </div>`
}

function installationEntry(view: ViewContext, store: ManageStore, state: ManageState, one: ManagedInstallation) {
  const { t } = view
  const { integration, installation, connection, status } = one
  const { tone, text } = looks[one.state]
  const name = integration.displayName
  const provider = integration.providerDisplayName
  const isBusy = state.busyId === installation.id
  const trouble = state.actionTrouble?.id === installation.id ? state.actionTrouble.trouble : undefined
  return html`<li class="item" part="installation">
    <div class="row top">
      ${letterMark(provider)}
      <div class="tight grow">
        <strong>${name}</strong>
        <span class="status ${tone}">${t.text(text)}</span>
        <span class="small quiet">${lastRead(view, installation.lastReadTime)}</span>
      </div>
    </div>
    ${trouble ? troubleNote(view, trouble, { provider }) : nothing}
    ${
      one.state === 'broken' && connection
        ? html`<div class="note error">
            ${refusal(view, connection.failure, provider)}
            <button type="button" class="primary" part="primary" @click=${() => store.reconnect(connection.id)}>
              ${t.text('manage.reconnectNamed', { name: provider })}
            </button>
          </div>`
        : nothing
    }
    ${
      one.state === 'unhealthy' && (installation.healthReasons ?? []).length > 0
        ? html`<ul class="note error">
            ${installation.healthReasons?.map((reason) => html`<li><bdi>${reason}</bdi></li>`)}
          </ul>`
        : nothing
    }
    ${
      status && status.objects.length > 0 && one.state !== 'broken'
        ? html`<details>
            <summary>${t.text('manage.details', { name })}</summary>
            <ul class="list">
              ${status.objects.map((object) => objectProgress(view, object))}
            </ul>
          </details>`
        : nothing
    }
    <div class="actions">
      <button type="button" aria-label=${named(view, 'manage.change', name)} @click=${() => store.change(integration.id)}>
        ${t.text('manage.change')}
      </button>
      ${
        integration.asksForWebhookSecret
          ? html`<button type="button" aria-label=${named(view, 'manage.webhook', name)} @click=${() => store.setUpWebhook(installation.id)}>
              ${t.text('manage.webhook')}
            </button>`
          : nothing
      }
      ${one.state === 'broken' ? nothing : pauseButton(view, store, one, isBusy)}
      <button type="button" class="plain quiet" aria-label=${named(view, 'manage.remove', name)} @click=${() => void store.askRemove(installation.id)}>
        ${t.text('manage.remove')}
      </button>
    </div>
  </li>`
}

function refusal({ t }: ViewContext, failure: string | undefined, provider: string): TemplateResult {
  return html`${
    failure
      ? html`<span class="small">${t.text('trouble.message', { provider })}</span>
            <blockquote><bdi>${failure}</bdi></blockquote>`
      : nothing
  }
    <p>${t.text('manage.brokenText', { provider })}</p>`
}

function pauseButton(view: ViewContext, store: ManageStore, one: ManagedInstallation, isBusy: boolean) {
  const { integration, installation } = one
  const { t } = view
  const isPaused = installation.isPaused === true
  return html`<button
    type="button"
    aria-disabled=${isBusy ? 'true' : nothing}
    aria-label=${named(view, isPaused ? 'manage.resume' : 'manage.pause', integration.displayName)}
    @click=${() => void store.setPaused(installation.id, !isPaused)}
  >
    ${t.text(isPaused ? 'manage.resume' : 'manage.pause')}
  </button>`
}

function lastRead({ t }: ViewContext, time: string | undefined): TemplateResult | string {
  if (time === undefined) return t.text('manage.neverRead')
  return html`<time datetime=${time} title=${t.fullDate(time)}>${t.text('manage.lastRead', { date: t.date(time) })}</time>`
}

function connectionEntry(
  view: ViewContext,
  store: ManageStore,
  { connection, displayName, installations }: ManagedConnection,
) {
  const { t } = view
  const { id, status, statusSince, failure, missingPermissions = [] } = connection
  const isBroken = status === 'bad_credentials'
  // What uses the account says it already, and has the main button.
  const isAlone = installations.length === 0
  const reconnecting = missingPermissions.length > 0 && !isBroken ? 'manage.allow' : 'manage.reconnect'
  const isPartial = !isBroken && missingPermissions.length > 0
  const tone = isBroken ? 'error' : isPartial ? 'warning' : status === 'working' ? 'ok' : ''
  const text = isBroken
    ? 'manage.broken'
    : isPartial
      ? 'manage.unhealthy'
      : status === 'working'
        ? 'manage.working'
        : 'manage.created'
  return html`<li class="item" part="account">
    <div class="row top">
      ${letterMark(displayName)}
      <div class="tight grow">
        <strong>${displayName}${connection.providerWorkspaceRef ? html` <span class="quiet">${connection.providerWorkspaceRef}</span>` : nothing}</strong>
        <span class="status ${tone}">${t.text(text)}</span>
        ${
          statusSince
            ? html`<time class="small quiet" datetime=${statusSince} title=${t.fullDate(statusSince)}
                >${t.text('manage.since', { date: t.dateTime(statusSince) })}</time
              >`
            : nothing
        }
      </div>
    </div>
    ${isBroken && isAlone ? html`<div class="note error">${refusal(view, failure, displayName)}</div>` : nothing}
    ${
      missingPermissions.length > 0
        ? html`<div class="note warning">
            <p>${t.text('manage.scopes', { provider: displayName })}</p>
            ${permissionList(view, missingPermissions)}
          </div>`
        : nothing
    }
    <div class="actions">
      <button
        type="button"
        class=${isBroken && isAlone ? 'primary' : ''}
        part=${isBroken && isAlone ? 'primary' : nothing}
        aria-label=${named(view, reconnecting, displayName)}
        @click=${() => store.reconnect(id)}
      >
        ${t.text(reconnecting)}
      </button>
      <button
        type="button"
        class="plain quiet"
        aria-label=${named(view, 'manage.disconnect', displayName)}
        @click=${() => void store.askDisconnect(id)}
      >
        ${t.text('manage.disconnect')}
      </button>
    </div>
  </li>`
}
