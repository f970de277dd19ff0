import { css } from 'lit'

/** Buttons, fields, choices, notes and lists. */
export const controls = css`
  button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
    letter-spacing: inherit;
  }
  button,
  a.button {
    min-height: 44px;
    padding: 9px 16px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    background: var(--_surface);
    color: var(--_text);
    font-weight: 500;
    text-wrap: balance;
    cursor: pointer;
    text-decoration: none;
    transition: background-color 120ms;
  }
  button:hover {
    background: var(--_hover);
  }
  button.primary {
    background: var(--_accent);
    border-color: var(--_accent);
    color: var(--_on-accent);
    font-weight: 600;
  }
  button.primary:hover {
    background: color-mix(in srgb, var(--_accent) 88%, var(--_text));
  }
  button.danger {
    border-color: var(--_error);
    color: var(--_error);
  }
  button.danger:hover {
    background: var(--_error-bg);
  }
  button.plain {
    border-color: transparent;
    background: transparent;
    color: var(--_accent);
    padding-inline: 8px;
  }
  button.plain:hover {
    background: var(--_hover);
  }
  button[aria-disabled='true'] {
    opacity: 0.6;
    cursor: default;
  }
  button.plain.quiet {
    color: var(--_quiet);
  }
  .action {
    color: var(--_accent);
    font-weight: 500;
    font-size: 14px;
  }
  @container (max-width: 340px) {
    .action {
      display: none;
    }
  }
  button.back {
    justify-self: start;
    margin-inline-start: -8px;
    margin-block: -8px;
    color: var(--_quiet);
    font-size: 14px;
  }
  .arrow {
    display: inline-block;
    width: 7px;
    height: 7px;
    border-block-start: 2px solid;
    border-inline-start: 2px solid;
    transform: rotate(-45deg);
    margin-inline: 3px 4px;
    vertical-align: 1px;
  }
  .arrow:dir(rtl) {
    transform: rotate(45deg);
  }
  .wide {
    width: 100%;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 12px;
  }
  .actions > .primary {
    flex: 1 1 auto;
  }
  a {
    color: var(--_accent);
    text-underline-offset: 2px;
  }
  :focus-visible {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  label,
  .label {
    font-weight: 500;
  }
  .field {
    display: grid;
    gap: 6px;
    grid-template-columns: minmax(0, 1fr);
  }
  .control {
    display: flex;
    flex-wrap: wrap;
    align-items: stretch;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    background: var(--_surface);
    min-height: 44px;
    overflow: hidden;
  }
  .control:focus-within {
    outline: 2px solid var(--_accent);
    outline-offset: 1px;
  }
  .control > input,
  .control > textarea {
    flex: 999 1 120px;
    min-width: 0;
    min-height: 42px;
    border: 0;
    padding: 9px 12px;
    background: none;
    outline: none;
  }
  .masked {
    -webkit-text-security: disc;
  }
  .control > textarea {
    resize: vertical;
    font: 13px/1.5 ui-monospace, monospace;
    min-height: 112px;
  }
  .control > .affix {
    display: flex;
    flex: none;
    align-items: center;
    min-height: 36px;
    padding-inline: 12px;
    background: var(--_hover);
    color: var(--_quiet);
    max-width: 100%;
    overflow-wrap: anywhere;
    font-size: 14px;
  }
  .control > input + .affix {
    flex: 1 0 auto;
  }
  .control > button {
    border: 0;
    border-radius: 0;
    font-size: 14px;
  }
  .control > button:focus-visible {
    outline-offset: -3px;
  }
  .field.wrong .control,
  .field.wrong select {
    border-color: var(--_error);
  }
  .issue {
    color: var(--_error);
    font-size: 14px;
  }
  select {
    min-height: 44px;
    width: 100%;
    padding: 9px 12px;
    border: 1px solid var(--_edge);
    border-radius: var(--_radius);
    background: var(--_surface);
    text-overflow: ellipsis;
  }
  input[type='checkbox'],
  input[type='radio'] {
    width: 20px;
    height: 20px;
    margin: 0;
    accent-color: var(--_accent);
    flex: none;
  }
  .choice {
    display: flex;
    align-items: center;
    gap: 12px;
    min-height: 44px;
    padding: 8px 12px;
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    cursor: pointer;
    font-weight: 400;
  }
  .choice:hover {
    background: var(--_hover);
  }
  .choice:has(:checked) {
    border-color: var(--_accent);
    background: var(--_soft);
  }
  .choices > legend.label {
    margin-block-end: 8px;
  }
  .choices {
    display: grid;
    gap: 8px;
    grid-template-columns: minmax(0, 1fr);
  }
  .choices legend.label {
    margin-block-end: 8px;
  }
  .note {
    display: grid;
    gap: 8px;
    grid-template-columns: minmax(0, 1fr);
    padding: 12px 16px;
    border-radius: var(--_radius);
    border: 1px solid var(--_line);
    background: var(--_hover);
  }
  .note.error {
    border-color: var(--_error);
    background: var(--_error-bg);
  }
  .note.warning {
    border-color: var(--_warning);
    background: var(--_warning-bg);
  }
  .note strong {
    font-weight: 600;
  }
  .note:focus {
    outline: 2px solid var(--_accent);
    outline-offset: 2px;
  }
  .note button.plain {
    justify-self: start;
    margin-inline-start: -8px;
  }
  .note ul {
    display: grid;
    gap: 2px;
  }
  .note li button {
    min-height: 28px;
    padding: 2px 0;
    border: 0;
    background: none;
    color: var(--_text);
    text-align: start;
    text-decoration: underline;
    font-weight: 400;
  }
  .note li {
    min-height: 24px;
  }
  blockquote {
    margin: 0;
    padding-inline-start: 12px;
    border-inline-start: 3px solid var(--_line);
  }
  ul.bullets {
    list-style: disc;
    padding-inline-start: 20px;
  }
  .list {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    border: 1px solid var(--_line);
    border-radius: var(--_radius);
    overflow: hidden;
  }
  .list > li + li {
    border-block-start: 1px solid var(--_line);
  }
  .entry {
    display: flex;
    width: 100%;
    align-items: center;
    gap: 12px;
    padding: 12px;
    min-height: 64px;
    border: 0;
    border-radius: 0;
    text-align: start;
    font-weight: 400;
    background: none;
  }
  .entry:focus-visible {
    outline-offset: -2px;
  }
  .entry .grow {
    flex: 1;
    min-width: 0;
    display: grid;
  }
  .entry strong {
    font-weight: 500;
  }
  .chevron {
    flex: none;
    width: 8px;
    height: 8px;
    border-block-start: 2px solid var(--_edge);
    border-inline-end: 2px solid var(--_edge);
    transform: rotate(45deg);
    margin-inline: 4px;
  }
  .chevron:dir(rtl) {
    transform: rotate(-45deg);
  }
  .tick {
    display: grid;
    place-items: center;
    width: 48px;
    height: 48px;
    border-radius: 50%;
    background: var(--_soft);
    color: var(--_ok);
  }
  .tick svg {
    width: 24px;
    height: 24px;
  }
  @media (prefers-reduced-motion: reduce) {
    * {
      transition: none !important;
    }
  }
  @media (forced-colors: active) {
    .status::before {
      background: CanvasText;
    }
    .choice:has(:checked) {
      outline: 2px solid Highlight;
    }
  }
`
