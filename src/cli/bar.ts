const BLOCKS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A bar of `width` characters for `part` of `whole`; eighths of a character where the terminal has them. */
export function renderBar(part: number, whole: number, width: number, unicode: boolean): string {
  const share = whole > 0 ? Math.min(Math.max(part / whole, 0), 1) : 0;
  if (!unicode) {
    const filled = Math.round(share * width);
    return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
  }
  const eighths = Math.round(share * width * 8);
  const full = Math.floor(eighths / 8);
  const bar = '█'.repeat(full) + (BLOCKS[eighths % 8] ?? '');
  return bar + '░'.repeat(width - bar.length);
}
