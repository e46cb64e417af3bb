import { definePage, View, type Page } from '../../theme/index.js';
import { callOf, type AdminVisit, type ConsoleContext } from '../console-visit.js';

interface Statistics {
  readonly waiting: Readonly<Record<string, number | null>>;
  readonly sign_ups: readonly { readonly date: string; readonly count: number }[] | null;
  readonly logins: readonly { readonly date: string; readonly count: number }[] | null;
}

const WAITING: Readonly<Record<string, string>> = {
  developers: '/users?status=pending',
  apps: '/apps?status=pending',
};

/** The first page: what waits and how the portal does, each number with the list behind it. */
export function homePage(context: ConsoleContext): Page {
  const handle = async (visit: AdminVisit) => {
    const { data } = await context.operations.run('getStatistics', callOf(visit));
    const statistics = data as Statistics;
    const waiting = Object.entries(statistics.waiting).flatMap(([name, count]) =>
      count === null ? [] : [{ name, count, href: WAITING[name] ?? null }],
    );
    return new View('console/home', {
      statistics,
      waiting,
      signUps: statistics.sign_ups && chart(statistics.sign_ups),
      logins: statistics.logins && chart(statistics.logins),
    });
  };
  return definePage({ method: 'get', path: '/', audience: 'admins', needs: ['getStatistics'], handle });
}

const [WIDTH, HEIGHT] = [600, 120];

/** Bars of a chart, for SVG made on the server. */
function chart(days: Statistics['sign_ups'] & object) {
  const most = Math.max(1, ...days.map(({ count }) => count));
  const step = WIDTH / Math.max(1, days.length);
  const bars = days.map(({ date, count }, index) => {
    const height = Math.round((count / most) * (HEIGHT - 8));
    return {
      day: date,
      count,
      x: Math.round(index * step),
      y: HEIGHT - height,
      width: Math.max(2, Math.floor(step) - 3),
      height,
    };
  });
  return { bars, width: WIDTH, height: HEIGHT, total: days.reduce((sum, { count }) => sum + count, 0) };
}
