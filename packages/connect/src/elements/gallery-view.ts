import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { GalleryItem, GalleryState, GalleryStore } from '../headless/gallery-store.ts'
import type { MessageKey } from '../messages/en.ts'
import { emptyView, heading, letterMark, logo, searchField, skeleton, troubleView, type ViewContext } from './parts.ts'

/** Lists of this length and longer can be searched. */
const searchedFrom = 6

const looks: Record<GalleryItem['state'], { tone: string; text: MessageKey }> = {
  available: { tone: '', text: 'gallery.available' },
  working: { tone: 'ok', text: 'manage.working' },
  paused: { tone: '', text: 'manage.paused' },
  attention: { tone: 'error', text: 'manage.unhealthy' },
}

/** Draws what the store says. */
export function galleryView(view: ViewContext, store: GalleryStore, state: GalleryState): TemplateResult {
  const { t, app } = view
  if (state.step === 'loading') return skeleton(view)
  if (state.step === 'failed' && state.trouble) return troubleView(view, state.trouble, () => void store.start())
  if (state.total === 0) return emptyView(view, 'gallery.empty')
  return html`<div class="stack">
    <div class="row top">${logo(view)}<div class="grow">${heading(t.text('gallery.title', { app }))}</div></div>
    ${
      state.total >= searchedFrom
        ? html`${searchField(view, { label: t.text('gallery.search'), value: state.search, onInput: (text) => store.setSearch(text) })}
            <p class="hidden" role="status">${state.search ? t.text('gallery.found', { count: state.items.length }) : ''}</p>`
        : nothing
    }
    ${
      state.items.length === 0
        ? html`<p class="quiet">${t.text('provider.none', { query: state.search })}</p>`
        : html`<ul class="list" part="integrations">
            ${repeat(
              state.items,
              ({ integration }) => integration.id,
              (item) => entry(view, store, item),
            )}
          </ul>`
    }
  </div>`
}

function entry({ t }: ViewContext, store: GalleryStore, item: GalleryItem): TemplateResult {
  const { integration, state } = item
  const { tone, text } = looks[state]
  const isNew = state === 'available'
  const name = integration.displayName
  return html`<li>
    <button
      type="button"
      class="entry"
      part="integration"
      @click=${() => store.open(item)}
    >
      ${letterMark(integration.providerDisplayName)}
      <span class="grow">
        <strong>${name}</strong>
        ${name === integration.providerDisplayName ? nothing : html`<span class="small quiet">${integration.providerDisplayName}</span>`}
        <span class="status ${tone}">${t.text(text)}</span>
      </span>
      <span class="action">${t.text(isNew ? 'gallery.setUp' : 'gallery.manage')}</span>
      <span class="chevron" aria-hidden="true"></span>
    </button>
  </li>`
}
