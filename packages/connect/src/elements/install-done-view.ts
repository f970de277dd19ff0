import { html, nothing, type TemplateResult } from 'lit'
import type { InstallState } from '../headless/install-state.ts'
import type { ObjectStatus } from '../headless/wire.ts'
import type { InstallView } from './install-context.ts'
import { heading, tick } from './parts.ts'

/** What happens now: the records of each object, counted as they arrive. */
export function doneView(view: InstallView, { integration, saved, status }: InstallState): TemplateResult {
  const { t } = view
  const title = saved
    ? t.text('install.doneChanged')
    : t.text('install.done', { integration: integration?.displayName ?? '' })
  return html`<div class="stack" part="done">
    <div class="stack center">
      ${tick}
      <div class="tight">
        ${heading(title)}
        <p class="quiet">${t.text('install.doneText')}</p>
      </div>
    </div>
    ${
      status && status.objects.length > 0
        ? html`<ul class="list">
            ${status.objects.map((object) => objectProgress(view, object))}
          </ul>`
        : nothing
    }
    ${
      view.onDone
        ? html`<button type="button" class="primary wide" id="submit" part="primary" @click=${view.onDone}>${t.text('done')}</button>`
        : nothing
    }
  </div>`
}

const tones = { backfilling: 'ok', scheduled: 'ok', paused: '', failing: 'error', idle: '' } as const

/** One object: what it does, what was read, and why it does not work. */
export function objectProgress({ t }: InstallView | { t: InstallView['t'] }, object: ObjectStatus): TemplateResult {
  const { displayName, state, recordsRead = 0, recordsTotal, failure, lastReadTime } = object
  const total = state === 'backfilling' && recordsTotal !== undefined && recordsTotal > 0 ? recordsTotal : undefined
  const counted =
    total === undefined
      ? recordsRead === undefined
        ? ''
        : t.text('install.records', { count: recordsRead })
      : t.text('install.recordsOf', { count: recordsRead, total })
  return html`<li class="progress" part="progress">
    <div class="row">
      <strong class="grow">${displayName}</strong>
      <span class="status ${tones[state]}">${t.text(`state.${state}`)}</span>
    </div>
    <p class="quiet small numbers">
      ${counted}
      ${lastReadTime === undefined ? nothing : html`${counted && '· '}<time datetime=${lastReadTime} title=${t.fullDate(lastReadTime)}>${t.text('manage.lastRead', { date: t.date(lastReadTime) })}</time>`}
    </p>
    ${total === undefined ? nothing : html`<progress max=${total} value=${recordsRead} aria-label=${displayName}></progress>`}
    ${
      failure
        ? html`<div class="note error small">
            ${failure.since === undefined ? nothing : html`<p>${t.text('manage.since', { date: t.dateTime(failure.since) })}</p>`}
            <blockquote><bdi>${failure.detail}</bdi></blockquote>
          </div>`
        : nothing
    }
  </li>`
}
