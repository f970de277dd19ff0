import { styleDirective } from './html-document.ts'

/** Headers of pages, besides their policy: no cache, no frame, no guessed type, and no address for other origins. */
export const pageHeaders = {
  'cache-control': 'no-store',
  // Not `no-referrer`: browsers would then send `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
}

/** Headers of a page without scripts and forms. */
export const plainPageHeaders = {
  ...pageHeaders,
  'content-security-policy': [
    "default-src 'none'",
    styleDirective,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
}
