// Loaded with --import: tells whoever started the process, on descriptor 3, what it has used when it ends.
import { writeSync } from 'node:fs';

process.once('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(3, JSON.stringify({ user: userCPUTime / 1e6, system: systemCPUTime / 1e6, peakMb: maxRSS / 1024 }));
});
