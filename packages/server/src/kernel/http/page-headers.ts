/** Headers of pages, besides their policy: no cache, no frame, no guessed type, and no address for other origins. */
export const pageHeaders = {
  'cache-control': 'no-store',
  // Not `no-referrer`: browsers would then send `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
}
