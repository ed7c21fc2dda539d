// Made by scripts/public-suffixes of the Public Suffix List, version 2026-10-22_08-36-41_UTC
// (publicsuffixlist 1.1.2.20261023 of PyPI).
// This file is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not distributed
// with this file, You can obtain one at https://mozilla.org/MPL/2.0/.

extension PublicSuffixTable {
    /// 2179 rules, in the form that scripts/public-suffixes describes.
    static let from0: StaticString = """
        0.bg 001.test.code-builder-stg.platform.salesforce.com* 0am.jp 0e.vc* 0emm.com* 0g0.jp 0j0.jp 0t0.jp
        1.azurestaticapps.net 1.bg 123hjemmeside.dk 123hjemmeside.no 123homepage.it 123kotisivu.fi 123minsida.se
        123miweb.es 123paginaweb.pt 123siteweb.fr 123webseite.at 123webseite.de 123website.be 123website.ch
        123website.lu 123website.nl 12hp.at 12hp.ch 12hp.de 1337.pictures 16-b.it 180r.com 1cooldns.com 1kapp.com 2-d.jp
        2.azurestaticapps.net 2.bg 2000.hu 2038.io 2ix.at 2ix.ch 2ix.de 3.azurestaticapps.net 3.bg 32-b.it
        3utilities.com 4.at 4.azurestaticapps.net 4.bg 4lima.at 4lima.ch 4lima.de 4u.com 5.azurestaticapps.net 5.bg
        5g.in 6.azurestaticapps.net 6.bg 611.to 64-b.it 6g.in 7.azurestaticapps.net 7.bg 8.bg 9.bg 9guacu.br a.bg
        a.prod.fastly.net a.se a.ssl.fastly.net a2hosted.com aa.crm.dev* aa.no aaa aaa.pro aarborte.no aarp ab.ca
        ab.crm.dev* abashiri.hokkaido.jp abb abbott abbvie abc abc.br abeno.osaka.jp aberdeen.wa.us abg.ec
        abiko.chiba.jp abira.hokkaido.jp abkhazia.su able abo.pa abogado abr.it abrdns.com abruzzo.it abu.yamaguchi.jp
        abudhabi ac ac.ae ac.at ac.bd ac.be ac.bw ac.ci ac.cn ac.cr ac.crm.dev* ac.cy ac.eg ac.fj ac.gn ac.gov.br ac.id
        ac.il ac.im ac.in ac.ir ac.jp ac.ke ac.kr ac.leg.br ac.lk ac.ls ac.ma ac.me ac.ml ac.mu ac.mw ac.mz ac.ni ac.nz
        ac.pa ac.pk ac.pr ac.rs ac.ru ac.rw ac.se ac.sz ac.th ac.tz ac.ug ac.uk ac.vn ac.za ac.zm ac.zw aca.pro
        academia.bo academy accenture accesscam.org accident-investigation.aero accident-prevention.aero accountant
        accountants acct.pro achi.nagano.jp aco act.au act.edu.au activetrail.biz actor ad ad.crm.dev* ad.jp
        adachi.tokyo.jp adimo.co.uk adm.br adm.ec adobeaemcloud.com adobeaemcloud.net adobeio-static.net
        adobeioruntime.net ads adult adult.ht adv.br adv.mz advisor.ws* adygeya.ru adygeya.su ae ae.crm.dev* ae.kg
        ae.org aeg aejrie.no aem.live aem.network aem.page aem.reviews aero aero.in aero.mv aerobatic.aero aeroclub.aero
        aerodrome.aero aeroport.fr aetna af af-south-1.airflow.amazonaws.com* af-south-1.elasticbeanstalk.com
        af-south-1.rds.amazonaws.com* af.crm.dev* affinitylottery.org.uk afjord.no afl africa africa.bj africa.com ag
        ag.it aga.niigata.jp agakhan agano.niigata.jp agdenes.no agematsu.nagano.jp agency agents.aero agr.br agrar.hu
        agri.jo agric.za agrigento.it agro.bj agro.bo agro.pl agron.ec aguni.okinawa.jp ah.cn ah.no ai ai.bd ai.id ai.in
        ai.jo ai.kr ai.studio ai.vn aibetsu.hokkaido.jp aichi.jp aid.pl aig aikawa.kanagawa.jp ainan.ehime.jp
        aioi.hyogo.jp aip.ee air-surveillance.aero air-traffic-control.aero airbus aircraft.aero
        airflow.af-south-1.on.aws* airflow.ap-east-1.on.aws* airflow.ap-northeast-1.on.aws*
        airflow.ap-northeast-2.on.aws* airflow.ap-northeast-3.on.aws* airflow.ap-south-1.on.aws*
        airflow.ap-south-2.on.aws* airflow.ap-southeast-1.on.aws* airflow.ap-southeast-2.on.aws*
        airflow.ap-southeast-3.on.aws* airflow.ap-southeast-4.on.aws* airflow.ap-southeast-5.on.aws*
        airflow.ap-southeast-7.on.aws* airflow.ca-central-1.on.aws* airflow.ca-west-1.on.aws*
        airflow.cn-north-1.on.amazonwebservices.com.cn* airflow.cn-northwest-1.on.amazonwebservices.com.cn*
        airflow.eu-central-1.on.aws* airflow.eu-central-2.on.aws* airflow.eu-north-1.on.aws* airflow.eu-south-1.on.aws*
        airflow.eu-south-2.on.aws* airflow.eu-west-1.on.aws* airflow.eu-west-2.on.aws* airflow.eu-west-3.on.aws*
        airflow.il-central-1.on.aws* airflow.me-central-1.on.aws* airflow.me-south-1.on.aws* airflow.sa-east-1.on.aws*
        airflow.us-east-1.on.aws* airflow.us-east-2.on.aws* airflow.us-west-1.on.aws* airflow.us-west-2.on.aws* airforce
        airline.aero airport.aero airtel airtraffic.aero aisai.aichi.jp aisho.shiga.jp aiven.app aivencloud.com*
        aizubange.fukushima.jp aizumi.tokushima.jp aizumisato.fukushima.jp aizuwakamatsu.fukushima.jp aju.br ak.us
        akabira.hokkaido.jp akadns.net akagi.shimane.jp akaiwa.okayama.jp akamai-staging.net akamai.net
        akamaiedge-staging.net akamaiedge.net akamaihd-staging.net akamaihd.net akamaiorigin-staging.net
        akamaiorigin.net akamaized-staging.net akamaized.net akashi.hyogo.jp akdn aki.kochi.jp akiruno.tokyo.jp
        akishima.tokyo.jp akita.akita.jp akita.jp akkeshi.hokkaido.jp aknoluokta.no ako.hyogo.jp akrehamn.no
        aktyubinsk.su akune.kagoshima.jp al al.eu.org al.gov.br al.it al.leg.br al.no al.us alaheadju.no aland.fi
        alces.network* alessandria.it alesund.no algard.no alibaba alibabacloudcs.com alipay allfinanz allstate ally
        alp1.ae.flow.ch alsace alstahaug.no alstom alt.na alt.za alta.no altervista.org alto-adige.it altoadige.it
        alumni.in alvdal.no alwaysdata.net am am.br am.gov.br am.in am.leg.br ama.aichi.jp ama.shimane.jp
        amagasaki.hyogo.jp amakusa.kumamoto.jp amami.kagoshima.jp amazon amazonlightsail.com ambulance.aero
        americanexpress americanfamily amex amfam ami.ibaraki.jp amica amli.no amot.no amplifyapp.com ams.scw.site
        amsterdam an.it analytics analytics-gateway.ap-northeast-1.amazonaws.com
        analytics-gateway.ap-northeast-2.amazonaws.com analytics-gateway.ap-south-1.amazonaws.com
        analytics-gateway.ap-southeast-1.amazonaws.com analytics-gateway.ap-southeast-2.amazonaws.com
        analytics-gateway.eu-central-1.amazonaws.com analytics-gateway.eu-west-1.amazonaws.com
        analytics-gateway.us-east-1.amazonaws.com analytics-gateway.us-east-2.amazonaws.com
        analytics-gateway.us-west-2.amazonaws.com anamizu.ishikawa.jp anan.nagano.jp anan.tokushima.jp anani.br
        ancona.it andasuolo.no andebu.no ando.nara.jp andoy.no andria-barletta-trani.it andria-trani-barletta.it
        andriabarlettatrani.it andriatranibarletta.it android angiang.vn angry.jp anjo.aichi.jp ann-arbor.mi.us
        annaka.gunma.jp anpachi.gifu.jp anquan antagonist.cloud anz ao ao.it aogaki.hyogo.jp aogashima.tokyo.jp
        aoki.nagano.jp aol aomori.aomori.jp aomori.jp aosta-valley.it aosta.it aostavalley.it aoste.it
        ap-east-1.airflow.amazonaws.com* ap-east-1.cs.amazonlightsail.com* ap-east-1.elasticbeanstalk.com
        ap-east-1.rds.amazonaws.com* ap-east-2.rds.amazonaws.com* ap-north-1.r.cloud.int.apple*
        ap-northeast-1.airflow.amazonaws.com* ap-northeast-1.cs.amazonlightsail.com* ap-northeast-1.elasticbeanstalk.com
        ap-northeast-1.rds.amazonaws.com* ap-northeast-2.airflow.amazonaws.com* ap-northeast-2.cs.amazonlightsail.com*
        ap-northeast-2.elasticbeanstalk.com ap-northeast-2.rds.amazonaws.com* ap-northeast-3.airflow.amazonaws.com*
        ap-northeast-3.elasticbeanstalk.com ap-northeast-3.rds.amazonaws.com* ap-south-1.airflow.amazonaws.com*
        ap-south-1.cs.amazonlightsail.com* ap-south-1.elasticbeanstalk.com ap-south-1.r.cloud.int.apple*
        ap-south-1.rds.amazonaws.com* ap-south-2.airflow.amazonaws.com* ap-south-2.elasticbeanstalk.com
        ap-south-2.r.cloud.int.apple* ap-south-2.rds.amazonaws.com* ap-southeast-1.airflow.amazonaws.com*
        ap-southeast-1.cs.amazonlightsail.com* ap-southeast-1.elasticbeanstalk.com ap-southeast-1.rds.amazonaws.com*
        ap-southeast-2.airflow.amazonaws.com* ap-southeast-2.cs.amazonlightsail.com* ap-southeast-2.elasticbeanstalk.com
        ap-southeast-2.rds.amazonaws.com* ap-southeast-3.airflow.amazonaws.com* ap-southeast-3.cs.amazonlightsail.com*
        ap-southeast-3.elasticbeanstalk.com ap-southeast-3.rds.amazonaws.com* ap-southeast-4.airflow.amazonaws.com*
        ap-southeast-4.elasticbeanstalk.com ap-southeast-4.rds.amazonaws.com* ap-southeast-5.airflow.amazonaws.com*
        ap-southeast-5.cs.amazonlightsail.com* ap-southeast-5.elasticbeanstalk.com ap-southeast-5.rds.amazonaws.com*
        ap-southeast-6.elasticbeanstalk.com ap-southeast-6.rds.amazonaws.com* ap-southeast-7.airflow.amazonaws.com*
        ap-southeast-7.elasticbeanstalk.com ap-southeast-7.rds.amazonaws.com* ap.gov.br ap.gov.pl ap.it ap.leg.br
        ap.ngrok.io aparecida.br apartments api.br api.gov.uk api.lp.dev apigee.io app app-ionos.space app.br
        app.os.fedoraproject.org app.os.stg.fedoraproject.org app.render.com appchizi.com appengine.flow.ch apple
        applinzi.com apps-1and1.com apps-1and1.net apps.fbsbx.com apps.lair.io appspacehosted.com
        appspaceusercontent.com appspot.com appudo.net appwrite.global appwrite.network appwrite.run* aq aq.it aquarelle
        ar ar.it ar.us arab arai.shizuoka.jp arakawa.saitama.jp arakawa.tokyo.jp aramco arao.kumamoto.jp archi
        architectes.bj ardal.no aremark.no arendal.no arezzo.it ariake.saga.jp arida.wakayama.jp aridagawa.wakayama.jp
        arita.saga.jp arkhangelsk.su armenia.su army arna.no arpa arq.br arqt.ec art art.br art.do art.dz art.ec art.ht
        art.ml art.pl art.sn arte arte.bo arts.nf arts.ro arts.ve arvanedge.ir arvo.network as as.sh.cn as.us
        asago.hyogo.jp asahi.chiba.jp asahi.ibaraki.jp asahi.mie.jp asahi.nagano.jp asahi.toyama.jp asahi.yamagata.jp
        asahikawa.hokkaido.jp asaka.saitama.jp asakawa.fukushima.jp asakuchi.okayama.jp asaminami.hiroshima.jp
        ascoli-piceno.it ascolipiceno.it asda aseral.no ashgabad.su ashibetsu.hokkaido.jp ashikaga.tochigi.jp
        ashiya.fukuoka.jp ashiya.hyogo.jp ashoro.hokkaido.jp asia asker.no askim.no askoy.no askvoll.no asn.au asn.lv
        asnes.no aso.kumamoto.jp ass.km assabu.hokkaido.jp assessments.cx assn.lk asso.ci asso.dz asso.eu.org asso.fr
        asso.gp asso.ht asso.km asso.mc asso.ml asso.nc asso.re associates association.aero assur.bj asti.it
        asuke.aichi.jp at at-band-camp.net at.emf.camp at.eu.org at.it at.playit.plus* at.ply.gg* atami.shizuoka.jp
        ath.cx athleta atl.jelastic.vps-host.net atlassian-3p-us-gov-mod.com* atlassian-3p.com*
        atlassian-isolated-3p.com* atm.pl atmeta.com ato.br atsugi.kanagawa.jp atsuma.hokkaido.jp attorney au au.eu.org
        au.ngrok.io auction audi audible audio audnedal.no augustow.pl auiusercontent.com* aukra.no aure.no aurland.no
        aurskog-holand.no aus.basketball auspost austevoll.no australiacentral-01.azurewebsites.net
        australiacentral2-01.azurewebsites.net australiaeast-01.azurewebsites.net
        australiasoutheast-01.azurewebsites.net austrheim.no austriaeast-01.azurewebsites.net
        auth-fips.us-east-1.amazoncognito.com auth-fips.us-east-2.amazoncognito.com
        auth-fips.us-gov-east-1.amazoncognito.com auth-fips.us-gov-west-1.amazoncognito.com
        auth-fips.us-west-1.amazoncognito.com auth-fips.us-west-2.amazoncognito.com auth.af-south-1.amazoncognito.com
        auth.ap-east-1.amazoncognito.com auth.ap-east-2.amazoncognito.com auth.ap-northeast-1.amazoncognito.com
        auth.ap-northeast-2.amazoncognito.com auth.ap-northeast-3.amazoncognito.com auth.ap-south-1.amazoncognito.com
        auth.ap-south-2.amazoncognito.com auth.ap-southeast-1.amazoncognito.com auth.ap-southeast-2.amazoncognito.com
        auth.ap-southeast-3.amazoncognito.com auth.ap-southeast-4.amazoncognito.com
        auth.ap-southeast-5.amazoncognito.com auth.ap-southeast-6.amazoncognito.com
        auth.ap-southeast-7.amazoncognito.com auth.ca-central-1.amazoncognito.com auth.ca-west-1.amazoncognito.com
        auth.cognito-idp.eusc-de-east-1.on.amazonwebservices.eu auth.eu-central-1.amazoncognito.com
        auth.eu-central-2.amazoncognito.com auth.eu-north-1.amazoncognito.com auth.eu-south-1.amazoncognito.com
        auth.eu-south-2.amazoncognito.com auth.eu-west-1.amazoncognito.com auth.eu-west-2.amazoncognito.com
        auth.eu-west-3.amazoncognito.com auth.il-central-1.amazoncognito.com auth.me-central-1.amazoncognito.com
        auth.me-south-1.amazoncognito.com auth.mx-central-1.amazoncognito.com auth.sa-east-1.amazoncognito.com
        auth.us-east-1.amazoncognito.com auth.us-east-2.amazoncognito.com auth.us-west-1.amazoncognito.com
        auth.us-west-2.amazoncognito.com authgear-staging.com authgearapps.com author author.aero auto auto.pl autos
        av.it av.tr avellino.it averoy.no avocat.fr avocat.pro avocats.bj avoues.fr aw awaji.hyogo.jp awdev.ca* aws
        aws-gov.databricksapps.us aws.databricksapps.com awsapprunner.com* awsapps.com awsglobalaccelerator.com ax axa
        aya.miyazaki.jp ayabe.kyoto.jp ayagawa.kagawa.jp ayase.kanagawa.jp az az.us azerbaijan.su azimuth.network
        azumino.nagano.jp azure azure-api.net azure-api.us azure-mobile.net azure.databricksapps.com* azurecontainer.io*
        azureedge.net azurefd.net azurestaticapps.net azurewebsites.net azurewebsites.us b-data.io b.bg b.br b.se
        b.ssl.fastly.net ba ba.gov.br ba.it ba.leg.br babia-gora.pl baby babyblue.jp babymilk.jp bacgiang.vn backan.vn
        backdrop.jp baclieu.vn bacninh.vn badaddja.no bahcavuotna.no bahccavuotna.no baidar.no baidu
        bainbridge-isl.wa.us bajddar.no balashov.su balat.no balena-devices.com balestrand.no ballangen.no
        ballooning.aero balsan-sudtirol.it balsan-suedtirol.it balsan.it balsfjord.no bambina.jp bamble.no banamex band
        bandai.fukushima.jp bando.ibaraki.jp bank bank.in bar bar.ec bar.pro barcelona barclaycard barclays bardu.no
        barefoot bargains bari.it baria-vungtau.vn barletta-trani-andria.it barlettatraniandria.it
        barrel-of-knowledge.info barrell-of-knowledge.info barsy.bg barsy.ca barsy.club barsy.co.uk barsy.de barsy.dev
        barsy.eu barsy.gr barsy.in barsy.info barsy.io barsy.me barsy.menu barsy.mobi barsy.net barsy.online barsy.org
        barsy.pro barsy.pub barsy.ro barsy.rs barsy.shop barsy.site barsy.store barsy.support barsy.uk barsycenter.com
        barsyonline.co.uk barsyonline.com barsyonline.menu barsyonline.shop barueri.br barum.no bas.it base.ec base.shop
        base44-sandbox.com base44.app baseball bashkiria.ru bashkiria.su basicserver.io basilicata.it basketball
        bato.tochigi.jp batsfjord.no bauhaus bayern bb bbc bbs.tr bbt bbva bc.ca bcg bcn bd bd.se be be.eu.org
        beagleboard.io bearalvahki.no bearblog.dev beardu.no beats beauty bedzin.pl beep.pl beer beget.app*
        begetcdn.cloud* beiarn.no bel.tr belem.br belgiumcentral-01.azurewebsites.net bellevue.wa.us belluno.it
        benevento.it bentre.vn beppu.oita.jp berg.no bergamo.it bergen.no berlevag.no berlin beskidy.pl best bestbuy bet
        bet.ar bet.br beta.wmcloud.org better-than.tv bf bg bg.eu.org bg.it bh bharti bhz.br bi bi.it bialowieza.pl
        bialystok.pl bib.br bib.ve bibai.hokkaido.jp bible bid biei.hokkaido.jp bielawa.pl biella.it bielsko.pl
        bieszczady.pl bievat.no bifuka.hokkaido.jp bihar.in bihoro.hokkaido.jp bike bindal.no bing bingo binhdinh.vn
        binhduong.vn binhphuoc.vn binhthuan.vn bio bio.br bir.ru biratori.hokkaido.jp birkenes.no bitbucket.io bitter.jp
        biz biz.az biz.bb biz.cy biz.dk biz.et biz.fj biz.gh biz.id biz.in biz.ki biz.ls biz.mv biz.mw biz.my biz.ng
        biz.ni biz.nr biz.pk biz.pl biz.pr biz.ss biz.tj biz.tr biz.tt biz.ua biz.vn biz.wf biz.zm bizen.okayama.jp bj
        bj.cn bjerkreim.no bjugn.no bl.it black blackbaudcdn.net blackfriday blob.core.usgovcloudapi.net
        blob.core.windows.net blockbuster blog blog.bo blog.br blogdns.com blogdns.net blogdns.org blogsite.org
        blogspot.com blogsyte.com bloomberg blue bluebite.io blush.jp bm bmd.br bmoattachments.org bms bmw bn bn.it
        bnpparibas bnr.la bo bo.it bo.nordland.no bo.telemark.no boats boavista.br bodo.no boehringer bofa bokn.no
        boldlygoingnowhere.org boleslawiec.pl bolivia.bo bologna.it bolt.host bolt.hu bolzano-altoadige.it bolzano.it
        bom bomlo.no bona.jp bond boo boo.jp book book.online booking boomla.net bosch bostik boston bot botda.sh
        botdash.app botdash.dev botdash.gg botdash.net botdash.xyz bounceme.net boutique boutir.com box box.ca
        boxfuse.io boy.jp boyfriend.jp bozen-sudtirol.it bozen-suedtirol.it bozen.it bplaced.com bplaced.de bplaced.net
        br br.com br.it bradesco brand.se brasilia.me brave.app brave.dev brave.io brazilsouth-01.azurewebsites.net
        brazilsoutheast-01.azurewebsites.net bremanger.no bremerton.wa.us brescia.it bridgestone brindisi.it broadway
        broke-it.net broker broker.aero bronnoy.no bronnoysund.no brother browsersafetymark.io brumunddal.no brussels
        bryansk.su bryne.no bs bs.it bsb.br bss.design bt bt.it bu.no bubbleapps.io budejju.no build build.run*
        builder.code.com* builders builtwithdark.com builtwithrocket.new* bukhara.su bulsan-sudtirol.it
        bulsan-suedtirol.it bulsan.it bumbleshrimp.com bungoono.oita.jp bungotakada.oita.jp bunkyo.tokyo.jp busan.kr
        business business.in but.jp buy buyshop.jp buyshouses.net buzen.fukuoka.jp buzz bv bw bwcloud-os-instance.de* by
        bydgoszcz.pl byen.site bygland.no bykle.no bytom.pl bz bz.it bzh c.bg c.cdn77.org c.se c.ts.net* c01.kr c66.me
        ca ca-central-1.airflow.amazonaws.com* ca-central-1.cs.amazonlightsail.com* ca-central-1.elasticbeanstalk.com
        ca-central-1.rds.amazonaws.com* ca-west-1.airflow.amazonaws.com* ca-west-1.elasticbeanstalk.com
        ca-west-1.rds.amazonaws.com* ca.eu.org ca.in ca.it ca.reclaim.cloud ca.us caa.aero cab cable-modem.org cafe
        caffeine.site caffeine.xyz cafjs.com cagliari.it cahcesuolo.no cal cal.it calabria.it calculators.cx call
        caltanissetta.it calvinklein cam cam.it camau.vn camdvr.org camera camp campaign.gov.uk campania.it
        campidano-medio.it campidanomedio.it campinagrande.br campinas.br campobasso.it can.re
        canadacentral-01.azurewebsites.net canadaeast-01.azurewebsites.net candypop.jp canon cantho.vn canva-apps.cn
        canva-apps.com canva-code.cn canva-hosted-embed.com canva.link canva.run canvacode.com caobang.vn capetown
        capital capitalone capoo.jp car caracal.mythic-beasts.com caravan carbonia-iglesias.it carboniaiglesias.it cards
        care career careers cargo.aero carrara-massa.it carraramassa.it carrd.co cars casa casacam.net case caserta.it
        cash casino casino.hu cat catania.it catanzaro.it catering catering.aero catfood.jp catholic catholic.edu.au
        caxias.br cb.it cba cbg.ru cbn cbre cc cc.ak.us cc.al.us cc.ar.us cc.as.us cc.az.us cc.ca.us cc.cd cc.co.us
        cc.ct.us cc.dc.us cc.de.us cc.fl.us cc.ga.us cc.gu.us cc.hi.us cc.ia.us cc.id.us cc.il.us cc.in.us cc.ks.us
        cc.ky.us cc.la.us cc.ma.us cc.md.us cc.me.us cc.mi.us cc.mn.us cc.mo.us cc.ms.us cc.mt.us cc.nc.us cc.ne.us
        cc.nh.us cc.nj.us cc.nm.us cc.nv.us cc.ny.us cc.oh.us cc.ok.us cc.or.us cc.pa.us cc.pr.us cc.ri.us cc.sc.us
        cc.sd.us cc.tn.us cc.tx.us cc.ua cc.ut.us cc.va.us cc.vi.us cc.vt.us cc.wa.us cc.wi.us cc.wv.us cc.wy.us cci.fr
        ccwu.cc cd cd.eu.org cdn-edges.net cdn.bubble.io cdn.cloudflare.net cdn.cloudflareanycast.net
        cdn.cloudflarecn.net cdn.cloudflareglobal.net cdn.prod.atlassian-dev.net cdn77-ssl.net cdn77-storage.com
        ce.gov.br ce.it ce.leg.br cechire.com center centralia.wa.us centralindia-01.azurewebsites.net
        centralus-01.azurewebsites.net centralus.azurestaticapps.net centraluseuap-01.azurewebsites.net ceo cern
        certification.aero cesena-forli.it cesenaforli.it cf cf-ipfs.com cfa cfd cfolks.pl cg ch ch.eu.org ch.it
        ch.trendhosting.cloud chambagri.fr championship.aero chanel channel channelsdvr.net charity charter.aero chase
        chat chatgpt.site cheap cheap.jp chef.ec chehalis.wa.us cherkassy.ua cherkasy.ua chernigov.ua chernihiv.ua
        chernivtsi.ua chernovtsy.ua chiba.jp chicappa.jp chichibu.saitama.jp chieti.it chigasaki.kanagawa.jp
        chihayaakasaka.osaka.jp chijiwa.nagasaki.jp chikugo.fukuoka.jp chikuho.fukuoka.jp chikuhoku.nagano.jp
        chikujo.fukuoka.jp chikuma.nagano.jp chikusei.ibaraki.jp chikushino.fukuoka.jp chikuzen.fukuoka.jp
        chilecentral-01.azurewebsites.net chillout.jp chimkent.su chino.nagano.jp chintai chippubetsu.hokkaido.jp
        chips.jp chirurgiens-dentistes-en-france.fr chirurgiens-dentistes.fr chiryu.aichi.jp chita.aichi.jp
        chitose.hokkaido.jp chiyoda.gunma.jp chiyoda.tokyo.jp chizu.tottori.jp chofu.tokyo.jp chonan.chiba.jp
        chosei.chiba.jp choshi.chiba.jp chowder.jp choyo.kumamoto.jp christmas chrome chtr.k12.ma.us chu.jp chungbuk.kr
        chungnam.kr chuo.chiba.jp chuo.fukuoka.jp chuo.osaka.jp chuo.tokyo.jp chuo.yamanashi.jp church ci ci.crm.dev*
        ci.it ciao.jp ciencia.bo cieszyn.pl cim.br cipriani circle cisco ciscofreak.com cistron.nl citadel citi citic
        city city.hu city.kawasaki.jp! city.kitakyushu.jp! city.kobe.jp! city.nagoya.jp! city.sapporo.jp!
        city.sendai.jp! city.yokohama.jp! civilaviation.aero ck* ck.ua cl cl.it claims clan.rip claude.app
        claudeusercontent.com cleaning clerk.app clerkstage.app cleverapps.cc cleverapps.io cleverapps.tech click
        clickrising.net client.scrypted.io clinic clinique clothing cloud cloud-ip.biz cloud-ip.cc
        cloud.fedoraproject.org cloud.goog cloud.int.apple* cloud.interhostsolutions.be cloud.metacentrum.cz*
        cloud.nospamproxy.com cloud.run cloud66.ws cloudaccess.host cloudaccess.net cloudapp.net cloudbeesusercontent.io
        cloudera.site* cloudflare-ipfs.com cloudflare.app cloudflare.net cloudfront.net cloudfunctions.net
        cloudjiffy.net cloudns.asia cloudns.be cloudns.biz cloudns.cc cloudns.ch cloudns.cl cloudns.club cloudns.cx
        cloudns.eu cloudns.in cloudns.info cloudns.nz cloudns.org cloudns.ph cloudns.pro cloudns.pw cloudns.us
        cloudsite.builders cloudycluster.net club club.aero club.tw clubmed clusters.rdpa.co* cm cn
        cn-north-1.airflow.amazonaws.com.cn* cn-north-1.eb.amazonaws.com.cn cn-northwest-1.airflow.amazonaws.com.cn*
        cn-northwest-1.eb.amazonaws.com.cn cn.com cn.eu.org cn.in cn.it cn.st* cn.ua cng.br cnpy.gdn cnt.br co co.ae
        co.ag co.am co.ao co.at co.az co.bb co.bd co.bi co.biz.ng co.bj co.bn co.business co.bw co.bz co.ca co.ci co.cl
        co.cm co.com co.cr co.cz co.de co.dk co.dm co.education co.events co.financial co.gg co.gl co.gy co.hu co.id
        co.il co.im co.in co.io co.ir co.it co.je co.jp co.ke co.kr co.krd co.lc co.ls co.ma co.me co.mg co.mu co.mw
        co.mz co.na co.network co.ni co.nl co.no co.nz co.om co.pl co.place co.pn co.ro co.rs co.rw co.scot co.site
        co.ss co.st co.sz co.technology co.th co.tj co.tm co.tt co.tz co.ua co.ug co.uk co.us co.uz co.ve co.vi co.za
        co.zm co.zw coach cockpit.fr-par.scw.cloud cockpit.nl-ams.scw.cloud cockpit.pl-waw.scw.cloud cocotte.jp
        code.run* codeberg.page codepen.app codepen.dev codes codespot.com coffee cog.mi.us col.ng college
        collegefan.org cologne com com.ac com.af com.ag com.ai com.al com.am com.ar com.au com.aw com.az com.ba com.bb
        com.bd com.bh com.bi com.bj com.bm com.bn com.bo com.br com.bs com.bt com.by com.bz com.ci com.cm com.cn com.co
        com.cu com.cv com.cw com.cy com.de com.dm com.do com.dz com.ec com.ee com.eg com.es com.et com.fj com.fm com.fr
        com.ge com.gh com.gi com.gl com.gn com.gp com.gr com.gt com.gu com.gy com.hk com.hn com.hr com.ht com.im com.in
        com.io com.iq com.jo com.kg com.kh com.ki com.km com.kp com.kw com.ky com.kz com.la com.lb com.lc com.lk com.lr
        com.lv com.ly com.mg com.mk com.ml com.mo com.ms com.mt com.mu com.mv com.mw com.mx com.my com.na com.nf com.ng
        com.ni com.nr com.om com.pa com.pe com.pf com.ph com.pk com.pl com.pr com.ps com.pt com.py com.qa com.re com.ro
        com.ru com.sa com.sb com.sc com.sd com.se com.sg com.sh com.sl com.sn com.so com.ss com.st com.sv com.sy com.tj
        com.tm com.tn com.to com.tr com.tt com.tw com.ua com.ug com.uy com.uz com.vc com.ve com.vi com.vn com.vu com.ws
        com.ye com.zm commbank commune.am community community-pro.de community-pro.net como.it company compare
        compute-1.amazonaws.com* compute.amazonaws.com* compute.amazonaws.com.cn* compute.estate* compute.herokuapp.com*
        computer comsec condos conf.au conf.lv conference.aero conn.uk
        consent-portal.bedrock-agentcore.ap-northeast-1.amazonaws.com
        consent-portal.bedrock-agentcore.ap-northeast-2.amazonaws.com
        consent-portal.bedrock-agentcore.ap-south-1.amazonaws.com
        consent-portal.bedrock-agentcore.ap-south-2.amazonaws.com
        consent-portal.bedrock-agentcore.ap-southeast-1.amazonaws.com
        consent-portal.bedrock-agentcore.ap-southeast-2.amazonaws.com
        consent-portal.bedrock-agentcore.ap-southeast-5.amazonaws.com
        consent-portal.bedrock-agentcore.ap-southeast-7.amazonaws.com
        consent-portal.bedrock-agentcore.ca-central-1.amazonaws.com
        consent-portal.bedrock-agentcore.eu-central-1.amazonaws.com
        consent-portal.bedrock-agentcore.eu-north-1.amazonaws.com
        consent-portal.bedrock-agentcore.eu-south-1.amazonaws.com
        consent-portal.bedrock-agentcore.eu-south-2.amazonaws.com
        consent-portal.bedrock-agentcore.eu-west-1.amazonaws.com
        consent-portal.bedrock-agentcore.eu-west-2.amazonaws.com
        consent-portal.bedrock-agentcore.eu-west-3.amazonaws.com
        consent-portal.bedrock-agentcore.sa-east-1.amazonaws.com
        consent-portal.bedrock-agentcore.us-east-1.amazonaws.com
        consent-portal.bedrock-agentcore.us-east-2.amazonaws.com
        consent-portal.bedrock-agentcore.us-gov-west-1.amazonaws.com
        consent-portal.bedrock-agentcore.us-west-1.amazonaws.com
        consent-portal.bedrock-agentcore.us-west-2.amazonaws.com construction consulado.st consultant.aero consulting
        consulting.aero cont.ec contact contagem.br contractors control.aero convex.app convex.cloud convex.site cooking
        cool coolblog.jp coop coop.ar coop.br coop.ht coop.in coop.km coop.mv coop.mw coop.py coop.rw cooperativa.bo
        copro.uk corespeed.app corsica cosenza.it couchpotatofries.org council.aero country coupon coupons courses
        coz.br cpa cpa.ec cpa.pro cpanel.site cprapid.com cpserver.com cq.cn cr cr.it cr.ua craft.me cranky.jp crap.jp
        crd.co credit creditcard creditunion cremona.it crew.aero cri.br cri.nz cricket crimea.ua crotone.it crown crs
        cruise cruises cs.in cs.it cs.keliweb.cloud csb.app csx.cc ct.it ct.us ctfcloud.net cu cue.ec cuiaba.br
        cuisinella cuneo.it curitiba.br cursorusercontent.com* cust.cloudscale.ch cust.dev.thingdust.io
        cust.disrec.thingdust.io cust.prod.thingdust.io cust.retrosnub.co.uk cust.testing.thingdust.io
        custom.metacentrum.cz customer-oci.com* customer.mythic-beasts.com customer.speedpartner.de cutegirl.jp cv cv.ua
        cw cx cx.ua cy cy.eu.org cyb.ge cymru cyon.link cyon.site cyou cz cz.eu.org cz.it czeladz.pl czest.pl d.bg
        d.crm.dev* d.gv.vc d.se d6.ply.gg daa.jp dad daegu.kr daejeon.kr daemon.asia daemon.panel.gg dagestan.ru
        dagestan.su daigo.ibaraki.jp daisen.akita.jp daito.osaka.jp daiwa.hiroshima.jp daklak.vn daknong.vn
        damnserver.com danang.vn dance darklang.io data database.run* date date.fukushima.jp date.hokkaido.jp dating
        datsun dattolocal.com dattolocal.net dattorelay.com dattoweb.com davvenjarga.no davvesiida.no day daynight.jp
        dazaifu.fukuoka.jp dc.us dclk ddl.fr-par.scw.cloud ddl.nl-ams.scw.cloud ddl.pl-waw.scw.cloud ddns-ip.net
        ddns.berlin ddns.me ddns.net ddns.wtf ddnsfree.com ddnsgeek.com ddnsguru.com ddnsking.com ddnss.de ddnss.org
        ddnssec.de dds de de.com de.cool de.eu.org de.object.ncloudstorage.com de.trendhosting.cloud de.us de5.net deal
        dealer deals deatnu.no debian.net deca.jp deci.jp dedibox.fr dedyn.io def.br definima.io definima.net degree
        delhi.in delivery dell dell-ogliastra.it dellogliastra.it deloitte delta demo.datadetect.com demo.jelastic.com
        democracia.bo democrat demon.nl denmarkeast-01.azurewebsites.net deno-staging.dev deno.dev deno.net dent.ec
        dental dentist dep.no deployagent.com deployagent.space deporte.bo des.br desa.id desi design design.aero det.br
        deus-canvas.com deuxfleurs.eu deuxfleurs.page dev dev-builder.code.com* dev.adobeaemcloud.com* dev.br dev.cv
        dev.project-study.com developer.app* development.run devices.resinstaging.io devinapps.com* df.gov.br df.leg.br
        dfirma.pl dgca.aero dgn.ec dhl diadem.cloud diamonds dielddanuorri.no dienbien.vn diet digick.jp digital
        digitaloceanspaces.com* direct direct.quickconnect.cn direct.quickconnect.to directory directwp.eu disco.ec
        discordsays.com discordsez.com discount discourse.diy discourse.group discourse.team discover dish
        diskstation.me diskussionsbereich.de ditchyourip.com divtasvuodna.no divttasvuotna.no dix.asia diy dj dk
        dk.eu.org dkonto.pl dl.biz.ng dlugoleka.pl dm dn.ua dnepropetrovsk.ua dni.us dnipropetrovsk.ua dnp dns-cloud.net
        dns-dynamic.net dnsabr.com dnsalias.com dnsalias.net dnsalias.org dnsdojo.com dnsdojo.net dnsdojo.org dnsfor.me
        dnshome.at dnshome.cloud dnshome.de dnshome.eu dnshome.it dnsiskinky.com dnsking.ch dnsup.net dnsupdate.info
        dnsupdater.de do doc.ec docs doctor does-it.net doesntexist.com doesntexist.org dog dojin.com domains donetsk.ua
        dongnai.vn dongthap.vn donna.no dontexist.com dontexist.net dontexist.org doomdns.com doomdns.org dopaas.com
        doshi.yamanashi.jp dot dovre.no download dp.ua dpdns.org dr.in dr.tr drammen.no drangedal.no drayddns.com
        dreamhosters.com drive drive-platform.com drive-platform.io drobak.no drr.ac dscloud.biz dscloud.me dscloud.mobi
        dsmynas.com dsmynas.net dsmynas.org dst.mi.us dtv dtwh.fr-par.scw.cloud dtwh.nl-ams.scw.cloud
        dtwh.pl-waw.scw.cloud dubai duckdns.org dupont durban durumis.com dvag dvr dvrcam.info dvrdns.org dweb.link*
        dy.fi dyn-berlin.de dyn-ip24.de dyn-o-saur.com dyn.addr.tools dyn.cosidns.de dyn.ddnss.de dyn.home-webserver.de
        dyn.now dynalias.com dynalias.net dynalias.org dynamic-dns.info dynamisches-dns.de dynathome.net
        dyndns-at-home.com dyndns-at-work.com dyndns-blog.com dyndns-free.com dyndns-home.com dyndns-ip.com
        dyndns-mail.com dyndns-office.com dyndns-pics.com dyndns-remote.com dyndns-server.com dyndns-web.com
        dyndns-wiki.com dyndns-work.com dyndns.biz dyndns.dappnode.io dyndns.ddnss.de dyndns.info dyndns.org dyndns.tv
        dyndns.ws dyndns1.de dyndnssec.de dynns.com dynserv.org dynu.net dynuddns.com dynuddns.net dynuhosting.com
        dynv6.net dyroy.no dz
        """
}
