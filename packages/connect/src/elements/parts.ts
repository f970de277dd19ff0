import { html, nothing, type TemplateResult } from 'lit'
import type { Trouble } from '../headless/trouble.ts'
import type { MessageKey } from '../messages/en.ts'
import type { Translator } from '../messages/translator.ts'

/** What all views need. */
export interface ViewContext {
  t: Translator
  /** The builder's product. */
  app: string | undefined
  logoUrl: string | undefined
  /** Moves the focus to an element of the component. */
  focus(id: string): void
}

/** Name of a button for those who hear it without what stands around it. It holds the text of the button. */
export function named({ t }: { t: Translator }, action: MessageKey, name: string): string {
  return t.text('named', { action: t.text(action), name })
}

/** The first letters of a name, where no logo may be shipped. */
export function letterMark(name: string, large = false): TemplateResult {
  const letters = name
    .replaceAll(/[^\p{L}\p{N} ]/gu, '')
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('')
  let sum = 0
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000
  return html`<span class="mark tint-${sum % 6} ${large ? 'large' : ''}" part="mark" aria-hidden="true">${letters}</span>`
}

/** The heading takes the focus when the view changes. */
export function heading(text: string): TemplateResult {
  return html`<h2 id="heading" part="heading" tabindex="-1">${text}</h2>`
}

export function backButton({ t }: ViewContext, onClick: () => void): TemplateResult {
  return html`<button type="button" class="plain back" part="back" @click=${onClick}><span aria-hidden="true" class="arrow"></span> ${t.text('back')}</button>`
}

export function logo({ logoUrl, app }: ViewContext): TemplateResult | typeof nothing {
  return logoUrl
    ? html`<img class="brand" part="logo" src=${logoUrl} alt=${app ?? ''} referrerpolicy="no-referrer" />`
    : nothing
}

/** Shown only if loading takes longer than a moment. */
export function skeleton({ t }: ViewContext): TemplateResult {
  return html`<div role="status" class="skeleton"><span></span><span></span><span></span><p class="hidden">${t.text('loading')}</p></div>`
}

/** A failure: what failed, why in the words of whom, and what to do. */
export function troubleNote(
  { t, app }: ViewContext,
  trouble: Trouble,
  {
    provider,
    text,
    retry,
    extra,
  }: { provider?: string; text?: string; retry?: (() => void) | undefined; extra?: TemplateResult } = {},
): TemplateResult {
  const named = trouble.kind === 'refused' || trouble.kind === 'unreachable'
  const kind = named && provider === undefined ? 'failed' : trouble.kind
  const said = named ? trouble.detail : undefined
  return html`
    <div class="note error" id="result" tabindex="-1" role="group" aria-labelledby="result-title" part="error">
      <strong id="result-title">${t.text(`trouble.${kind}.title` as MessageKey, { provider })}</strong>
      ${
        said
          ? html`${kind === 'refused' ? html`<span class="small">${t.text('trouble.message', { provider })}</span>` : nothing}
              <blockquote><bdi>${trouble.detail}</bdi></blockquote>`
          : nothing
      }
      ${
        kind === 'invalid' && trouble.issues
          ? html`<ul class="bullets">${trouble.issues.map((issue) => html`<li><bdi>${issue}</bdi></li>`)}</ul>`
          : nothing
      }
      <p>${text ?? t.text(`trouble.${kind}.text` as MessageKey, { app, provider })}</p>
      ${extra ?? nothing}
      ${retry && trouble.canRetry ? html`<button type="button" part="retry" @click=${retry}>${t.text('tryAgain')}</button>` : nothing}
      ${
        trouble.requestId && kind === 'failed'
          ? html`<p class="small quiet">${t.text('requestId', { id: trouble.requestId })}</p>`
          : nothing
      }
    </div>
  `
}

/** A view that consists of a failure. */
export function troubleView(
  context: ViewContext,
  trouble: Trouble,
  retry: () => void,
  provider?: string,
): TemplateResult {
  const key = trouble.kind === 'expired' || trouble.kind === 'notAllowed' || trouble.kind === 'notFound'
  return html`<div class="stack">
    ${logo(context)} ${troubleNote(context, trouble, { retry: key ? undefined : retry, ...(provider !== undefined && { provider }) })}
  </div>`
}

export function emptyView(
  { t, app }: ViewContext,
  key: 'provider.empty' | 'manage.empty' | 'gallery.empty',
): TemplateResult {
  return html`<div class="stack"><div class="tight" part="empty">
    ${heading(t.text(`${key}.title`))}
    <p class="quiet">${t.text(`${key}.text`, { app })}</p>
  </div></div>`
}

/** A text field that filters a list. */
export function searchField(
  { t }: ViewContext,
  { label, value, onInput }: { label: string; value: string; onInput: (text: string) => void },
): TemplateResult {
  return html`<div class="control" role="search" part="search">
    <input
      id="search"
      type="search"
      aria-label=${label}
      placeholder=${label}
      autocomplete="off"
      spellcheck="false"
      .value=${value}
      @input=${(event: InputEvent) => onInput((event.target as HTMLInputElement).value)}
    />${
      value
        ? html`<button type="button" class="plain" @click=${() => onInput('')}>${t.text('clear')}</button>`
        : nothing
    }
  </div>`
}

export const tick = html`<span class="tick" aria-hidden="true"><svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"><path d="M5 12.5l4.5 4.5L19 7.5" /></svg></span>`
