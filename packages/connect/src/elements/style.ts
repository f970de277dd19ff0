import { css } from 'lit'
import { controls } from './style-controls.ts'
import { installing } from './style-install.ts'
import { layout } from './style-layout.ts'

/** Values that a page can set, each with the project's setting and a default behind it. */
const variables = css`
  :host {
    color-scheme: light dark;
    --_bg: var(--mortise-background, light-dark(var(--_light-background, #fff), var(--_dark-background, #1a201d)));
    --_surface: var(
      --mortise-surface,
      light-dark(var(--_light-surface, var(--_bg)), var(--_dark-surface, var(--_bg)))
    );
    --_text: var(--mortise-text, light-dark(var(--_light-text, #1d2421), var(--_dark-text, #e7ece9)));
    --_accent: var(--mortise-accent, light-dark(var(--_light-accent, #1c6b50), var(--_dark-accent, #5cc79d)));
    --_on-accent: var(
      --mortise-accent-text,
      light-dark(var(--_light-accentText, #fff), var(--_dark-accentText, #0c1c15))
    );
    --_faint: color-mix(in srgb, var(--_text) 16%, var(--_surface));
    --_line: var(
      --mortise-border,
      light-dark(var(--_light-border, var(--_faint)), var(--_dark-border, var(--_faint)))
    );
    --_muted: color-mix(in srgb, var(--_text) 72%, var(--_surface));
    --_quiet: var(
      --mortise-muted-text,
      light-dark(var(--_light-mutedText, var(--_muted)), var(--_dark-mutedText, var(--_muted)))
    );
    --_radius: var(--mortise-radius, var(--_radius-setting, 8px));
    --_font: var(--mortise-font, var(--_font-setting, system-ui, sans-serif));
    --_edge: color-mix(in srgb, var(--_text) 55%, var(--_surface));
    --_hover: color-mix(in srgb, var(--_text) 6%, var(--_surface));
    --_soft: color-mix(in srgb, var(--_accent) 10%, var(--_surface));
    --_error: var(--mortise-danger, light-dark(var(--_light-danger, #a3271f), var(--_dark-danger, #ffaea6)));
    --_error-bg: color-mix(in srgb, var(--_error) 8%, var(--_surface));
    --_warning: var(--mortise-warning, light-dark(#8a5300, #f2c063));
    --_warning-bg: color-mix(in srgb, var(--_warning) 9%, var(--_surface));
    --_ok: var(--mortise-ok, light-dark(#1c6b50, #5cc79d));
    display: block;
    max-width: 480px;
    container-type: inline-size;
    font: 400 16px/1.5 var(--_font);
    color: var(--_text);
    text-align: start;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  :host([hidden]) {
    display: none;
  }
`

export const styles = [variables, layout, controls, installing]
